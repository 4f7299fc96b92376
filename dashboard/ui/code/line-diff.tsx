import { VisuallyHidden } from '@mantine/core'
import classes from './line-diff.module.css'

type Line = { kind: 'same' | 'gone' | 'new'; text: string }

/** Two texts compared line by line. */
export function LineDiff({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = compare(before.split('\n'), after.split('\n'))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className={classes.diff} aria-label={label} tabIndex={0}>
      {lines.map(({ kind, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines stand in the order of the texts
        <div key={at} data-kind={kind}>
          <span aria-hidden>{{ same: ' ', gone: '−', new: '+' }[kind]}</span>
          {kind !== 'same' && (
            <VisuallyHidden component="span">{kind === 'gone' ? 'removed: ' : 'added: '}</VisuallyHidden>
          )}
          {text}
        </div>
      ))}
    </section>
  )
}

/** The longest common subsequence, for small texts. Huge ones are shown one after the other. */
function compare(before: string[], after: string[]): Line[] {
  if (before.length * after.length > 4_000_000) {
    return [
      ...before.map((text): Line => ({ kind: 'gone', text })),
      ...after.map((text): Line => ({ kind: 'new', text })),
    ]
  }
  const width = after.length + 1
  const lengths = new Uint32Array((before.length + 1) * width)
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = before.length - 1; i >= 0; i -= 1) {
    for (let j = after.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  const lines: Line[] = []
  let i = 0
  let j = 0
  while (i < before.length || j < after.length) {
    const old = before[i]
    const fresh = after[j]
    if (old !== undefined && old === fresh) {
      lines.push({ kind: 'same', text: old })
      i += 1
      j += 1
    } else if (old !== undefined && (fresh === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: 'gone', text: old })
      i += 1
    } else if (fresh !== undefined) {
      lines.push({ kind: 'new', text: fresh })
      j += 1
    }
  }
  return lines
}
