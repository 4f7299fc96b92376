type Props = {
  /** From the bottom up, each with one value per slot. */
  series: { colour: string; values: number[] }[]
  label: string
  width?: number
}

const height = 20

/** Counts over time as small stacked bars. The label says the same for people who cannot see them. */
export function MiniBars({ series, label, width = 96 }: Props) {
  const length = Math.max(1, ...series.map(({ values }) => values.length))
  const heights = Array.from({ length }, (_, at) =>
    series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
  )
  const top = Math.max(1, ...heights)
  const step = width / length
  return (
    <svg width={width} height={height} role="img" aria-label={label} style={{ forcedColorAdjust: 'none' }}>
      <title>{label}</title>
      <rect x={0} y={height - 1} width={width} height={1} fill="var(--line)" />
      {heights.map((_, at) => {
        let y = height - 1
        return series.map(({ colour, values }) => {
          const value = values[at] ?? 0
          if (value === 0) return null
          // Whatever happened at all is seen.
          const rise = Math.max((value / top) * (height - 2), 1.5)
          y -= rise
          return (
            <rect
              key={colour}
              x={at * step}
              y={y}
              width={Math.max(step - 0.75, 0.75)}
              height={rise}
              fill={colour}
            />
          )
        })
      })}
    </svg>
  )
}
