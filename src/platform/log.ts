import { type DestinationStream, type Logger, destination as openOutput, pino, stdTimeFunctions } from 'pino'

export type Log = Logger

/** What a reader that is slow, or a disk that is full, may leave in memory; lines beyond that are lost. */
const maxWaitingLength = 4 * 1024 * 1024

type Options = { level: string; pretty: boolean; destination?: DestinationStream }

/** One wide line per unit of work: readable on a terminal, JSON everywhere else. */
export async function createLog({ level, pretty, destination }: Options): Promise<Log> {
  const options = {
    level,
    base: null,
    timestamp: stdTimeFunctions.isoTime,
    // Only what tells something: drivers hang whole connections on their errors.
    serializers: { err: describeError },
    formatters: { level: (label: string) => ({ level: label }) },
  }
  if (destination) return pino(options, destination)
  if (!pretty) return pino(options, openStdout())
  const { default: prettyStream } = await import('pino-pretty')
  return pino(options, prettyStream({ colorize: true, translateTime: 'SYS:HH:MM:ss', singleLine: true }))
}

/** No line of the log is worth the service: where they cannot be written (a full disk, a reader that is gone) it goes on without them. */
function openStdout(): DestinationStream {
  const output = openOutput({ dest: 1, sync: false, maxLength: maxWaitingLength })
  const flush = output.flushSync
  // At the end of the process it would try for ever.
  output.on('error', () => {
    output.flushSync = () => undefined
  })
  output.on('write', () => {
    output.flushSync = flush
  })
  return output
}

function describeError(error: unknown): unknown {
  // A cause may be anything: libraries hang whole answers there, tokens included.
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
