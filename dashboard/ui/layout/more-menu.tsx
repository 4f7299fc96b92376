import { ActionIcon, type ActionIconProps, Menu } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'

type Props = ActionIconProps & {
  /** As in "this webhook". */
  what: string
  children: ReactNode
}

/** Rare actions, behind three dots. By keyboard it opens with the focus on the first one. */
export function MoreMenu({ what, children, ...icon }: Props) {
  const [byKey, setByKey] = useState(false)
  return (
    <Menu withInitialFocusPlaceholder={!byKey}>
      <Menu.Target>
        <ActionIcon
          variant="default"
          size={30}
          aria-label={`Actions for ${what}`}
          onKeyDown={() => setByKey(true)}
          onPointerDown={() => setByKey(false)}
          {...icon}
        >
          <IconDots size="1rem" aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
