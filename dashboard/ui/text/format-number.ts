const english = new Intl.NumberFormat('en')

/** `1,234` wherever the browser is: beside English words and `1.5 s`, the `1.234` of another language would be read as a fraction. */
export function formatNumber(value: number): string {
  return english.format(value)
}
