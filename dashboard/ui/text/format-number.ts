import { locale, perLocale } from './locale.ts'

const plain = perLocale((tag) => new Intl.NumberFormat(tag))

/** `1,234`, as written in the person's language of numbers. */
export function formatNumber(value: number): string {
  return plain().format(value)
}

/** With exactly so many digits after the point: `1.0`. */
export function formatFixed(value: number, digits: number): string {
  return value.toLocaleString(locale(), { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** `12K`, for an axis. */
export function formatCompact(value: number): string {
  return value.toLocaleString(locale(), {
    notation: 'compact',
    ...(value < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 1 }),
  })
}
