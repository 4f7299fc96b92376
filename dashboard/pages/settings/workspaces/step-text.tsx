import { Anchor, Code } from '@mantine/core'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import classes from './workspace-card.module.css'

type Props = {
  /** With `[links](https://…)` and `` `values` `` to copy, as in Markdown. */
  text: string
  /** What `{names}` in it stand for; a link to what is not known yet is only text. */
  values: Record<string, string | null | undefined>
}

/** What to do on a platform's own pages: its addresses open there, its values are copied. */
export function StepText({ text, values }: Props) {
  const parts = text.split(/(\[[^\]]+\]\([^)]+\)|`[^`]+`)/)
  const fill = (part: string) =>
    part.replaceAll(/\{(\w+)\}/g, (name, key: string) => values[key]?.trim() || name)
  return parts.map((part) => {
    const [, label, address] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? []
    if (label && address) {
      const href = fill(address)
      return href.includes('{') ? (
        label
      ) : (
        <Anchor key={part} href={href} target="_blank" rel="noreferrer">
          {label}
        </Anchor>
      )
    }
    if (!part.startsWith('`')) return part
    const value = fill(part.slice(1, -1))
    return (
      <span key={part} className={classes.value}>
        <Code>{value}</Code>
        <CopyButton value={value} what={value} />
      </span>
    )
  })
}
