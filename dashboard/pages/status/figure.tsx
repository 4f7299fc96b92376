import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Stats } from '../../contract.ts'
import classes from './charts.module.css'

/** What a chart is about, as one number. */
export type Measure = {
  of: (figures: Stats['totals']) => number | null
  text: (value: number) => string
  /** Otherwise more is neither good nor bad. */
  lessIsBetter?: boolean
}

type FigureProps = {
  title: string
  value: string
  /** Puts the value into proportion. */
  note?: string | undefined
  change: Change | null
  caption: string
  action?: ReactNode
  children: ReactNode
}

/** A number with its chart, and how it compares with the span before. */
export function Figure({ title, value, note, change, caption, action, children }: FigureProps) {
  return (
    <figure className={classes.figure}>
      <figcaption>
        <Stack gap={0}>
          <Group justify="space-between" h="1.5rem" wrap="nowrap">
            <Text size="xs" c="dimmed">
              {title}
            </Text>
            {action}
          </Group>
          <Group gap="0 0.5rem" align="baseline">
            <Text fz={20} fw={600} lh={1.4}>
              {value}
            </Text>
            {change && (
              <Text
                size="xs"
                c={change.tone ? `var(--${change.tone})` : 'dimmed'}
                data-tone={change.tone}
                title={change.title}
              >
                {change.words}
              </Text>
            )}
            {note && (
              <Text size="xs" c="dimmed">
                {note}
              </Text>
            )}
          </Group>
        </Stack>
      </figcaption>
      {children}
      <Text size="xs" c="dimmed">
        {caption}
      </Text>
    </figure>
  )
}

type Change = { words: string; title: string; tone?: 'good' | 'bad' }

/** "▲ 12%" against the span before; no percentage says what came from none. */
export function changeOf(
  now: number | null,
  before: number | null,
  { text, lessIsBetter, words }: Omit<Measure, 'of'> & { words: string },
): Change | null {
  if (now === null || before === null) return null
  if (now === before) return now === 0 ? null : { words: 'no change', title: words }
  const title = `${words}: ${text(before)}`
  const isMore = now > before
  const sign = isMore ? '▲' : '▼'
  const tone = lessIsBetter ? { tone: isMore ? ('bad' as const) : ('good' as const) } : {}
  const share = now / before - 1
  if (before === 0) return { words: `${sign} from none`, title, ...tone }
  if (Math.abs(share) < 0.005) return { words: 'no change', title }
  const size = share > 9.99 ? 'over 10 times' : percent(Math.abs(share))
  return { words: `${sign} ${size}`, title, ...tone }
}

export function percent(share: number): string {
  const rounded = Math.round(share * 100)
  return rounded === 0 ? 'under 1%' : `${rounded}%`
}
