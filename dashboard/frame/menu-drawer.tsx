import { Drawer } from '@mantine/core'
import { Logo } from '../ui/layout/logo.tsx'
import { Sidebar } from './sidebar.tsx'

/** The sidebar of a narrow window. */
export default function MenuDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={240}
      title={<Logo />}
      transitionProps={{ duration: 120 }}
      closeButtonProps={{ 'aria-label': 'Close menu' }}
    >
      <Sidebar collapsed={false} onOpen={onClose} />
    </Drawer>
  )
}
