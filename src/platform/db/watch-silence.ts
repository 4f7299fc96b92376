import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

const pauseMs = 1_000

/**
 * Calls back once PostgreSQL has sent nothing at all for this long: it is frozen, or the connection is cut. A refusal counts as
 * an answer. Uses its own connections, since those of the pool may all be in use.
 */
export function watchSilence(
  connection: pg.ClientConfig,
  onSilent: () => void,
  silenceMs: number,
): Disposable {
  let isOver = false
  let asking: pg.Client | undefined
  void watch()

  async function watch(): Promise<void> {
    while (!isOver) {
      asking = new pg.Client({ ...connection, application_name: 'bellhop stopping' })
      const answers = await isAnswered(asking, silenceMs)
      if (!answers && !isOver) return onSilent()
      await pause(pauseMs, undefined, { ref: false })
    }
  }

  return {
    [Symbol.dispose]() {
      isOver = true
      asking?.connection.stream.destroy()
    },
  }
}

async function isAnswered(client: pg.Client, withinMs: number): Promise<boolean> {
  client.on('error', () => undefined)
  const connected = client.connect().then(
    () => true,
    () => true,
  )
  const answered = await Promise.race([connected, pause(withinMs, false, { ref: false })])
  // Without a goodbye message, which a silent server would not read.
  client.connection.stream.destroy()
  return answered
}
