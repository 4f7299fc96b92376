import { Button, SegmentedControl, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import { CopyButton } from '../text/copy-button.tsx'
import { formatNumber } from '../text/format-number.ts'
import classes from './raw-view.module.css'

type Props = {
  text: string
  /** What it is, as in "body" or "headers": the label of the block and of its copy button. */
  what: string
  /** Offer an indented view of JSON beside the exact text. */
  json?: boolean
  /** Its lines are columns and must not wrap. */
  columns?: boolean
  maxHeight?: number
  /** Part of it is masked, so a copy would be useless. */
  masked?: boolean
}

/** Drawing more takes a browser seconds, and nobody reads it here. */
const maxShown = 100_000
/** Beyond this, a browser stands still for minutes. */
const maxWhole = 2_000_000

/** Text exactly as it is: never HTML, and reformatted only on request. */
export function RawView({ text, what, json, columns, maxHeight = 360, masked }: Props) {
  const indented = useMemo(() => (json && text.length <= maxWhole ? indent(text) : null), [json, text])
  const [mode, setMode] = useState<'exact' | 'indented'>(indented === null ? 'exact' : 'indented')
  const all = mode === 'indented' && indented !== null ? indented : text
  const [whole, setWhole] = useState(false)
  const shown = whole ? all : all.slice(0, maxShown)
  return (
    <div className={classes.box}>
      <div className={classes.bar}>
        <span>{what}</span>
        {indented !== null && indented !== text && (
          <SegmentedControl
            size="xs"
            value={mode}
            aria-label={`Format of ${what}`}
            onChange={(value) => setMode(value === 'exact' ? 'exact' : 'indented')}
            data={[
              { value: 'indented', label: 'Formatted' },
              { value: 'exact', label: 'Raw' },
            ]}
          />
        )}
        {!masked && <CopyButton value={text} what={what} />}
      </div>
      <section
        className={classes.text}
        data-columns={columns || undefined}
        style={{ maxHeight }}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        tabIndex={0}
        aria-label={what}
      >
        {shown === '' ? <i>Empty</i> : shown}
        {shown.length < all.length && all.length > maxWhole && (
          <Text size="xs" c="dimmed" mt={8}>
            Showing the first {formatNumber(maxShown)} of {formatNumber(all.length)} characters. Copy to see
            the rest.
          </Text>
        )}
        {shown.length < all.length && all.length <= maxWhole && (
          <Button size="xs" variant="default" display="block" mt={8} onClick={() => setWhole(true)}>
            Show all {formatNumber(all.length)} characters
          </Button>
        )}
      </section>
    </div>
  )
}

/** Re-indents without parsing numbers or strings, so that their text stays exact. */
export function indent(text: string): string | null {
  try {
    JSON.parse(text)
  } catch {
    return null
  }
  let depth = 0
  let out = ''
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs) ?? []
  tokens.forEach((token, at) => {
    const next = tokens[at + 1]
    const line = () => `\n${'  '.repeat(depth)}`
    if (token === '{' || token === '[') {
      const empty = next === '}' || next === ']'
      if (!empty) depth += 1
      out += empty ? token : token + line()
    } else if (token === '}' || token === ']') {
      const before = tokens[at - 1]
      const empty = before === '{' || before === '['
      if (!empty) depth -= 1
      out += empty ? token : line() + token
    } else if (token === ',') out += token + line()
    else if (token === ':') out += ': '
    else out += token
  })
  return out
}
