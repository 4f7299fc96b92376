import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { isUnavailable } from './database.ts'

const askEveryMs = 500
const answerWithinMs = 5_000

type Line = { fields: { err: unknown }; message: string; times: number }

/**
 * A log with one line when the database is lost and one when it is back. Whatever fails meanwhile for that reason, in dozens of places
 * at once, gets no line of its own. `ask` is any statement.
 */
export function logOutages(log: Log, ask: () => Promise<unknown>): Disposable & { log: Log } {
  /** Lines whose error looks like an outage, until the database was asked. */
  const held = new Map<string, Line>()
  let failures: number | null = null
  let isAsking = false
  let isClosed = false

  function hold(fields: Line['fields'], message: string): void {
    if (failures !== null) {
      failures++
      return
    }
    const key = `${message} ${fields.err}`
    const { times } = held.get(key) ?? { times: 0 }
    held.set(key, { fields, message, times: times + 1 })
    if (!isAsking) void judge()
  }

  async function judge(): Promise<void> {
    isAsking = true
    const answers = await answersInTime()
    isAsking = false
    const lines = [...held.values()]
    held.clear()
    if (answers || isClosed) for (const line of lines) write(line)
    else await waitForDatabase(lines)
  }

  /** A target or a chat platform may be down as well: then each line stands for itself. */
  function write({ fields, message, times }: Line): void {
    log.warn(times > 1 ? { ...fields, times } : fields, message)
  }

  async function waitForDatabase([first, ...others]: Line[]): Promise<void> {
    const lostAt = performance.now()
    failures = others.length
    log.warn(first?.fields, 'database.connection_lost')
    while (!isClosed && !(await answersInTime())) await pause(askEveryMs, undefined, { ref: false })
    if (!isClosed) log.info({ ms: Math.round(performance.now() - lostAt), failures }, 'database.back')
    failures = null
  }

  async function answersInTime(): Promise<boolean> {
    const answer = ask().then(
      () => true,
      () => false,
    )
    return await Promise.race([answer, pause(answerWithinMs, false, { ref: false })])
  }

  const quiet: Log = Object.create(log)
  quiet.warn = (fields: unknown, ...rest: [string?, ...unknown[]]) => {
    if (isFailure(fields) && isUnavailable(fields.err)) hold(fields, rest[0] ?? '')
    // The arguments are passed on as they came.
    else log.warn(fields, ...(rest as [string]))
  }
  return {
    log: quiet,
    [Symbol.dispose]() {
      isClosed = true
    },
  }
}

function isFailure(fields: unknown): fields is Line['fields'] {
  return typeof fields === 'object' && fields !== null && 'err' in fields
}
