import { connect as connectTo, createServer, type Socket } from 'node:net'

/** A TCP relay in front of PostgreSQL's socket, so that the connection can be cut without stopping the server. */
export async function openCuttableWire(url: string) {
  const target = new URL(url)
  const socketPath = `${target.searchParams.get('host')}/.s.PGSQL.${target.port}`
  const open = new Set<Socket>()
  let cut = false
  const relay = createServer((near) => {
    if (cut) return void near.destroy()
    const far = connectTo(socketPath)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(from)
          to.destroy()
        })
      from.pipe(to)
    }
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const address = relay.address()
  if (address === null || typeof address === 'string') throw new Error('The relay has no port.')
  const relayed = new URL(url)
  relayed.searchParams.delete('host')
  relayed.hostname = '127.0.0.1'
  relayed.port = String(address.port)
  return {
    url: relayed.href,
    /** Keeps connections open but passes nothing on, as when a router drops its state. */
    silence() {
      for (const socket of open) socket.unpipe().resume()
    },
    cut() {
      cut = true
      for (const socket of open) socket.destroy()
    },
    mend() {
      cut = false
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      await new Promise<void>((resolve) => relay.close(() => resolve()))
    },
  }
}
