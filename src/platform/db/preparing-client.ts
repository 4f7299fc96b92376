import { hash } from 'node:crypto'
import pg from 'pg'
import { SessionClient } from './session-client.ts'

/**
 * As in the JDBC driver, only frequent statements are worth preparing. Here they have to be frequent within a short time: each
 * connection keeps a copy of each plan, and those of statements that come every few seconds cost more memory than they save time.
 */
const usesBeforePreparing = 5
const withinMs = 10_000
const maxPrepared = 256

/** Incremented when a plan turned out to be older than its table; statements prepared before are not used any more. */
let generation = 0

/**
 * A connection that prepares frequent statements, so that PostgreSQL keeps their plans. Parsing and planning cost more than
 * reading or writing one row.
 */
export class PreparingClient extends SessionClient {
  readonly #uses = new Map<string, number>()
  readonly #names = new Map<string, string>()
  #countedSince = performance.now()
  #generation = generation

  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads end in this one
  override query(...args: any[]): any {
    const [text, values, callback] = args
    // Without values it may be a script of several statements, as pg-boss sends them, which cannot be prepared.
    const isOne = typeof text === 'string' && Array.isArray(values) && values.length > 0
    const name = isOne ? this.#nameOf(text) : undefined
    if (name === undefined) return super.query(...(args as [string]))
    if (callback) return super.query({ name, text, values }, watchingForOutdated(callback))
    const inTransaction = this.getTransactionStatus() !== 'I'
    return super.query({ name, text, values }).catch((error: unknown) => {
      if (!isOutdated(error)) throw error
      generation++
      // Inside a transaction everything is lost already, and its owner must start again.
      if (inTransaction) throw error
      return super.query(text, values)
    })
  }

  #nameOf(text: string): string | undefined {
    if (this.#generation !== generation) this.#names.clear()
    this.#generation = generation
    const known = this.#names.get(text)
    if (known || this.#names.size === maxPrepared) return known
    const now = performance.now()
    if (now - this.#countedSince > withinMs || this.#uses.size > 4 * maxPrepared) {
      this.#uses.clear()
      this.#countedSince = now
    }
    const uses = (this.#uses.get(text) ?? 0) + 1
    this.#uses.set(text, uses)
    if (uses < usesBeforePreparing) return undefined
    const name = `${generation}-${hash('sha256', text, 'base64url')}`
    this.#uses.delete(text)
    this.#names.set(text, name)
    return name
  }
}

type Callback = (error: Error, result: pg.QueryResult) => void

function watchingForOutdated(callback: Callback): Callback {
  return (error, result) => {
    if (isOutdated(error)) generation++
    callback(error, result)
  }
}

/**
 * A newer version of the service changed a table: the plan would return other columns. Recognised by the routine in PostgreSQL
 * that reports it, since the message may be in any language and the code covers many errors.
 */
export function isOutdated(error: unknown): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'
  )
}
