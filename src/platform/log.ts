import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'

export type Log = Logger

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
  if (!pretty) return pino(options)
  const { default: prettyStream } = await import('pino-pretty')
  return pino(options, prettyStream({ colorize: true, translateTime: 'SYS:HH:MM:ss', singleLine: true }))
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
