import { ActionIcon, type ActionIconProps, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import type { ReactNode } from 'react'

type Props = ActionIconProps & {
  /** As in "this webhook". */
  what: string
  children: ReactNode
}

/** Rare actions, behind three dots. */
export function MoreMenu({ what, children, ...icon }: Props) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="default" size={30} aria-label={`More to do with ${what}`} {...icon}>
          <IconDots size="1rem" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
