import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'

const entry = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
)

/** The official example server, in a process of its own. `restart` ends that process and starts it anew on the same port. */
export async function startEverything(transport: 'streamableHttp' | 'sse') {
  const port = await freePort()
  let child = await start()
  return {
    url: `http://127.0.0.1:${port}/${transport === 'sse' ? 'sse' : 'mcp'}`,
    pair: `127.0.0.1:${port}`,
    async stop() {
      await end()
    },
    async restart() {
      await end()
      child = await start()
    },
    [Symbol.asyncDispose]: end,
  }

  async function start() {
    const started = spawn(process.execPath, [entry, transport], {
      env: { ...process.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await new Promise<void>((resolve, reject) => {
      // Read to the end: a server that cannot write its log dies of it.
      started.stderr.on('data', (chunk: Buffer) => {
        if (/listening on|running on port/.test(String(chunk))) resolve()
      })
      started.on('exit', (code) => reject(new Error(`The server ended with ${code}.`)))
    })
    return started
  }

  async function end(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
}

/** The server takes no port 0, so one is looked for that is free now. */
