/** Counts over time as a small line. The text beside it says the same for people who cannot see it. */
export function Sparkline({ values, label }: { values: number[]; label: string }) {
  const top = Math.max(1, ...values)
  const step = 72 / Math.max(1, values.length - 1)
  const points = values.map(
    (value, at) => `${(at * step).toFixed(1)},${(19 - (value / top) * 17).toFixed(1)}`,
  )
  return (
    <svg width={72} height={20} role="img" aria-label={label}>
      <title>{label}</title>
      <polyline points={points.join(' ')} fill="none" stroke="var(--busy)" strokeWidth={1.5} />
    </svg>
  )
}
