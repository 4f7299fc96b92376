import type { ToolAnswer } from '../connectors/call/callable-tool.ts'

/** RFC 9110 §10.2.3: how long the target asks to wait before the next request. Null if it does not put us off, or not for how long. */
export function retryAfterOf(
  { status, headers }: Pick<ToolAnswer, 'status' | 'headers'>,
  now: Date,
): number | null {
  if (status !== 429) return null
  const value = /^Retry-After: (.+)$/m.exec(headers)?.[1]?.trim() ?? ''
  const ms = /^\d{1,9}$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now.getTime()
  return Number.isNaN(ms) ? null : Math.max(ms, 0)
}
