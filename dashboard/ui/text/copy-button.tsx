import { ActionIcon, Button } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { notify } from '../feedback/notify.ts'
import { Hint } from '../layout/hint.tsx'
import { copyText } from './copy-text.ts'

type Props = {
  value: string
  /** What is copied, as in "Copy URL". */
  what: string
  /** With a label beside the icon, if copying is the main action. */
  labelled?: boolean
  /** The main action of this place. */
  main?: boolean
}

const shownMs = 1500

export function CopyButton({ value, what, labelled = false, main = false }: Props) {
  const [copiedAt, setCopiedAt] = useState<number | null>(null)
  useEffect(() => {
    if (copiedAt === null) return
    const timer = setTimeout(() => setCopiedAt(null), shownMs)
    return () => clearTimeout(timer)
  }, [copiedAt])
  const copied = copiedAt !== null
  const copy = async () => {
    if (await copyText(value)) setCopiedAt(Date.now())
    else notify('Your browser blocked copying. Select the text and press Ctrl+C or ⌘C.')
  }
  const done = main ? 'currentColor' : 'var(--good)'
  const icon = copied ? (
    <IconCheck size="0.9375rem" color={done} aria-hidden />
  ) : (
    <IconCopy size="0.9375rem" aria-hidden />
  )
  if (labelled) {
    return (
      <Button
        variant={main ? 'filled' : 'default'}
        size={main ? 'sm' : 'xs'}
        leftSection={icon}
        onClick={() => void copy()}
      >
        {copied ? 'Copied' : `Copy ${what}`}
      </Button>
    )
  }
  return (
    <Hint label={copied ? 'Copied' : `Copy ${what}`}>
      <ActionIcon size="sm" aria-label={`Copy ${what}`} onClick={() => void copy()}>
        {icon}
      </ActionIcon>
    </Hint>
  )
}
