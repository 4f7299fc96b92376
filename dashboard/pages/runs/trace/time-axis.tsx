import { useHotkeys } from '@mantine/hooks'
import { type PointerEvent, useState } from 'react'
import { formatMilliseconds } from '../format-duration.ts'
import classes from './trace.module.css'
import type { Interval, Scale } from './trace-scale.ts'

/** Less is a click. */
const leastDragPx = 5

/** Ticks and pauses behind the rows of a trace. Who drags on its head chooses a range of time. */
export function TimeAxis({
  scale: { ticks, gaps, momentAt },
  onRange,
}: {
  scale: Scale
  onRange: (range: Interval) => void
}) {
  /** In percent of the width. */
  const [dragged, drag] = useState<{ from: number; to: number }>()
  useHotkeys([['Escape', () => drag(undefined)]])
  const extend = (event: PointerEvent) => dragged && drag({ from: dragged.from, to: percentOf(event) })
  const choose = (event: PointerEvent) => {
    if (!dragged) return
    drag(undefined)
    const [left = 0, right = 0] = [dragged.from, percentOf(event)].toSorted((a, b) => a - b)
    if (((right - left) / 100) * event.currentTarget.clientWidth < leastDragPx) return
    onRange({ from: Math.floor(momentAt(left)), to: Math.ceil(momentAt(right)) })
  }
  return (
    <div className={classes.scale} aria-hidden>
      <div>
        {ticks.map(({ words, left }) => (
          <span key={left} className={classes.tick} style={{ left: `${left}%` }}>
            {words}
          </span>
        ))}
        {gaps.map(({ left, width, ms }) => (
          <span key={left} className={classes.gap} style={{ left: `${left}%`, width: `${width}%` }}>
            {formatMilliseconds(ms)}
          </span>
        ))}
        {dragged && (
          <span
            className={classes.range}
            style={{
              left: `${Math.min(dragged.from, dragged.to)}%`,
              width: `${Math.abs(dragged.to - dragged.from)}%`,
            }}
          />
        )}
        <span
          className={classes.handle}
          title="Drag to zoom in"
          onPointerDown={(event) => {
            if (event.button !== 0) return
            event.currentTarget.setPointerCapture(event.pointerId)
            drag({ from: percentOf(event), to: percentOf(event) })
          }}
          onPointerMove={extend}
          onPointerUp={choose}
          onPointerCancel={() => drag(undefined)}
        />
      </div>
    </div>
  )
}

function percentOf({ clientX, currentTarget }: PointerEvent): number {
  const { left, width } = currentTarget.getBoundingClientRect()
  return Math.min(Math.max((100 * (clientX - left)) / width, 0), 100)
}
