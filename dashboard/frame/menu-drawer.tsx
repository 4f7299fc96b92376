import { Drawer } from '@mantine/core'
import { BellMark } from '../ui/bell-mark.tsx'
import classes from './frame.module.css'
import { Sidebar } from './sidebar.tsx'

/** The sidebar of a narrow window. */
export default function MenuDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={240}
      title={
        <span className={classes.mark}>
          <BellMark />
          Bellhop
        </span>
      }
      transitionProps={{ duration: 120 }}
      closeButtonProps={{ 'aria-label': 'Close the menu' }}
    >
      <Sidebar collapsed={false} onOpen={onClose} />
    </Drawer>
  )
}
