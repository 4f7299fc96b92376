import { ConfigError } from '../config.ts'
import { adviseOnFailure } from '../platform/db/advise-on-failure.ts'
import { hasCode } from '../platform/has-code.ts'

/** For people: the message, the cause only if it adds something, and what to do if that is known. */
export function explainFailure(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  if (!(error instanceof Error)) return String(error)
  if (hasCode(error, 'ENOENT') && 'syscall' in error && error.syscall === 'open' && 'path' in error)
    return `There is no file ${error.path}.`
  const cause = error.cause instanceof Error ? `\n  caused by: ${error.cause.message}` : ''
  const advice = adviseOnFailure(error)
  return `${error.message}${cause}${advice ? `\n  ${advice}` : ''}`
}
