import { ActionIcon, Button, CopyButton as Copying, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'

type Props = {
  value: string
  /** What is copied, as in "Copy the URL". */
  what: string
  /** With words beside the icon, where copying is the main thing to do. */
  labelled?: boolean
}

export function CopyButton({ value, what, labelled = false }: Props) {
  return (
    <Copying value={value} timeout={1500}>
      {({ copied, copy }) => {
        const icon = copied ? <IconCheck size={15} color="var(--good)" /> : <IconCopy size={15} />
        if (labelled) {
          return (
            <Button variant="default" leftSection={icon} onClick={copy}>
              {copied ? 'Copied' : `Copy ${what}`}
            </Button>
          )
        }
        return (
          <Tooltip label={copied ? 'Copied' : `Copy ${what}`}>
            <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Copy ${what}`} onClick={copy}>
              {icon}
            </ActionIcon>
          </Tooltip>
        )
      }}
    </Copying>
  )
}
