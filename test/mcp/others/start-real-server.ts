import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../support/free-port.ts'
import { startTarget } from '../../support/start-target.ts'

const modules = join(import.meta.dirname, '../../../node_modules')

type Program = { file: string; args?: string[]; env?: Record<string, string> }
type Message = { id?: string | number }

/** A server as it comes from npm that speaks HTTP itself. `{port}` in its arguments is where it shall listen. */
export async function startHttpServer({ file, args = [], env = {} }: Program) {
  const port = await freePort()
  const child = start({ file, args: args.map((one) => one.replace('{port}', String(port))), env })
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}.`)
    const socket = connect(port, '127.0.0.1')
    const isUp = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isUp) break
    await pause(50)
  }
  return { url: `http://127.0.0.1:${port}/mcp`, [Symbol.asyncDispose]: () => end(child) }
}

/** One that speaks over its standard input and output, behind a gateway: a request waits for the line with its id. */
export async function startBehindGateway(program: Program) {
  const child = start(program)
  // Each session counts its requests from the beginning, so all of them get numbers of the gateway's own.
  const waiting: ((answer: Message) => void)[] = []
  createInterface({ input: child.stdout ?? process.stdin }).on('line', (line) => {
    const answer = JSON.parse(line) as Message
    waiting[Number(answer.id ?? -1)]?.(answer)
  })
  const gateway = await startTarget(({ method, body }, response) => {
    if (method !== 'POST') return void response.writeHead(405).end()
    const message = JSON.parse(body) as Message
    if (message.id === undefined) response.writeHead(202).end()
    const number = waiting.push((answer) =>
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ ...answer, id: message.id })),
    )
    const sent = message.id === undefined ? message : { ...message, id: number - 1 }
    child.stdin?.write(`${JSON.stringify(sent)}\n`)
  })
  return {
    url: `${gateway.origin}/mcp`,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await end(child)
    },
  }
}

function start({ file, args = [], env = {} }: Program): ChildProcess {
  return spawn(process.execPath, [join(modules, file), ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
