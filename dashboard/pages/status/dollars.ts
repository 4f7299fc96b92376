export function dollars(value: number): string {
  return `$${value.toFixed(value !== 0 && value < 1 ? 4 : 2)}`
}
