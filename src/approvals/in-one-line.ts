import type { RenderedRequest } from './approval.ts'

const longest = 200

/** A request beside others: enough to tell them apart. */
export function inOneLine({ method, url, body }: RenderedRequest): string {
  const whole = [method, url, body ?? ''].join(' ').replaceAll(/\s+/g, ' ').trim()
  return whole.length > longest ? `${whole.slice(0, longest).toWellFormed()}…` : whole
}
