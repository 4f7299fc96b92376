import { type DestinationStream, type Logger, destination as openOutput, pino, stdTimeFunctions } from 'pino'

export type Log = Logger

/** How much a slow reader or a full disk may leave in memory; further lines are lost. */
const maxWaitingLength = 4 * 1024 * 1024

type Options = { level: string; pretty: boolean; destination?: DestinationStream }

/** One wide line per unit of work: readable on a terminal, JSON everywhere else. */
export async function createLog({ level, pretty, destination }: Options): Promise<Log> {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    // Only useful fields: drivers attach whole connections to their errors.
    serializers: { err: describeError },
    formatters: { level: (label: string) => ({ level: label }) },
  }
  if (destination) return pino(options, destination)
  if (!pretty) return pino(options, openStdout())
  const { default: prettyStream } = await import('pino-pretty')
  return pino(options, prettyStream({ colorize: true, translateTime: 'SYS:HH:MM:ss', singleLine: true }))
}

/** Logging must not stop the service: if lines cannot be written (a full disk, a closed pipe), it continues without them. */
function openStdout(): DestinationStream {
  const output = openOutput({ dest: 1, sync: false, maxLength: maxWaitingLength })
  const flush = output.flushSync
  // Otherwise it would retry forever when the process ends.
  output.on('error', () => {
    output.flushSync = () => undefined
  })
  output.on('write', () => {
    output.flushSync = flush
  })
  return output
}

function describeError(error: unknown): unknown {
  // A cause may be anything: libraries attach whole answers, including tokens.
  if (!(error instanceof Error)) return typeof error === 'object' ? '[object]' : error
  const { name, message, stack, cause } = error
  const code = 'code' in error ? error.code : undefined
  return {
    name,
    message,
    ...(code ? { code } : {}),
    stack,
    ...(cause ? { cause: describeError(cause) } : {}),
  }
}
