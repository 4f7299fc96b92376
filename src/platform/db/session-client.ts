import pg from 'pg'

/**
 * A server, database or role may have other defaults: a date format that the driver cannot read, an isolation level under which
 * statements fail that would only wait, strings with escapes, commits that are answered before they are on disk. A stricter
 * synchronous_commit than ours stays.
 */
const sessionSettings = `
  select set_config('DateStyle', 'ISO', false),
    set_config('standard_conforming_strings', 'on', false),
    set_config('default_transaction_isolation', 'read committed', false),
    set_config('synchronous_commit', coalesce(nullif(current_setting('synchronous_commit'), 'off'), 'on'), false)`

/** Not every version has each of them. */
const noTimeLimits = `
  select set_config(name, '0', false) from pg_settings
  where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'transaction_timeout')`

export type SessionConfig = pg.ClientConfig & {
  /** How long a transaction may wait for its next statement; null lifts all time limits of the server. */
  abandonedMs: number | null
}

/**
 * A connection of a pool. It counts as connected once its session has the settings that we rely on. They are no parameters of the
 * connection, since poolers refuse those that they do not know.
 */
export class SessionClient extends pg.Client {
  readonly #settings: string

  constructor(config?: SessionConfig) {
    super(config)
    const abandonedMs = config?.abandonedMs ?? null
    const limits =
      abandonedMs === null ? noTimeLimits : `set idle_in_transaction_session_timeout = ${abandonedMs}`
    this.#settings = `${sessionSettings}; ${limits}`
  }

  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads end in this one; a pool passes a callback
  override connect(callback?: any): any {
    // The pool listens for errors from its callback on. Until then the callback gets them, and nobody else must.
    const ignore = () => undefined
    this.on('error', ignore)
    const finish = (error: Error | null) => {
      // The driver leaves a connection open if it is the one that gave up, e.g. without a password. That would keep the process alive.
      if (error) this.connection.stream.destroy()
      callback(error, this)
      if (!error) this.off('error', ignore)
    }
    super.connect((error: Error | null) =>
      error ? finish(error) : super.query(this.#settings, (refused: Error | null) => finish(refused)),
    )
  }
}
