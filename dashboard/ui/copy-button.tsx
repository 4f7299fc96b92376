import { ActionIcon, Button, CopyButton as Copying, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'

type Props = {
  value: string
  /** What is copied, as in "Copy the URL". */
  what: string
  /** With words beside the icon, where copying is the main thing to do. */
  labelled?: boolean
  /** The one thing to do here. */
  main?: boolean
}

export function CopyButton({ value, what, labelled = false, main = false }: Props) {
  return (
    <Copying value={value} timeout={1500}>
      {({ copied, copy }) => {
        const done = main ? 'currentColor' : 'var(--good)'
        const icon = copied ? <IconCheck size={15} color={done} /> : <IconCopy size={15} />
        if (labelled) {
          return (
            <Button
              variant={main ? 'filled' : 'default'}
              size={main ? 'sm' : 'xs'}
              leftSection={icon}
              onClick={copy}
            >
              {copied ? 'Copied' : `Copy ${what}`}
            </Button>
          )
        }
        return (
          <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
            <ActionIcon size="sm" aria-label={`Copy ${what}`} onClick={copy}>
              {icon}
            </ActionIcon>
          </Tooltip>
        )
      }}
    </Copying>
  )
}
