import { hash } from 'node:crypto'
import pg from 'pg'

/** As the JDBC driver does it: what comes again and again is worth a plan of its own, the rest is not. */
const usesBeforePreparing = 5
const maxPrepared = 256

/** Counts the times a plan turned out to be older than its table; what was prepared before is not used any more. */
let generation = 0

/**
 * A connection that lets PostgreSQL keep the plan of each statement it hears often. Reading and planning a statement costs
 * more than running it where one row is read or written.
 */
export class PreparingClient extends pg.Client {
  readonly #uses = new Map<string, number>()
  readonly #names = new Map<string, string>()
  #generation = generation

  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads end in this one
  override query(...args: any[]): any {
    const [text, values, callback] = args
    // Without values it may be a script of several statements, as pg-boss sends them, and such a one cannot be prepared.
    const isOne = typeof text === 'string' && Array.isArray(values) && values.length > 0
    const name = isOne ? this.#nameOf(text) : undefined
    if (name === undefined) return super.query(...(args as [string]))
    if (callback) return super.query({ name, text, values }, noticing(callback))
    const inTransaction = this.getTransactionStatus() !== 'I'
    return super.query({ name, text, values }).catch((error: unknown) => {
      if (!isOutdated(error)) throw error
      generation++
      // Inside a transaction all is lost by now, and whoever began it begins again.
      if (inTransaction) throw error
      return super.query(text, values)
    })
  }

  #nameOf(text: string): string | undefined {
    if (this.#generation !== generation) this.#names.clear()
    this.#generation = generation
    const known = this.#names.get(text)
    if (known || this.#names.size === maxPrepared) return known
    const uses = (this.#uses.get(text) ?? 0) + 1
    if (this.#uses.size > 4 * maxPrepared) this.#uses.clear()
    this.#uses.set(text, uses)
    if (uses < usesBeforePreparing) return undefined
    const name = `${generation}-${hash('sha256', text, 'base64url')}`
    this.#uses.delete(text)
    this.#names.set(text, name)
    return name
  }
}

type Callback = (error: Error, result: pg.QueryResult) => void

function noticing(callback: Callback): Callback {
  return (error, result) => {
    if (isOutdated(error)) generation++
    callback(error, result)
  }
}

/**
 * A newer version of the service has changed a table under us: the plan would answer with other columns. Known by the place in
 * PostgreSQL that says so, since the words may be in any language and the code is that of many faults.
 */
export function isOutdated(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
  )
}
