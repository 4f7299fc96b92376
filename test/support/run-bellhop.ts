import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { after } from 'node:test'
import { endOfOutput } from './bellhop-process.ts'
import { plainEnv } from './plain-env.ts'

type Ended = { code: number; out: string; err: string }

const main = join(import.meta.dirname, '../../src/main.ts')
const hasRunAlone = new Set<string>()
let shared: ChildProcess | undefined
after(() => shared?.kill())

/**
 * The command line, one command after the other. Each is a process of its own, as a person starts it, until it has succeeded once;
 * from then on it shares a process with the others, since nearly all of their time is that of loading modules.
 */
export async function runBellhop(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const [command = ''] = args
  if (hasRunAlone.has(command)) return await runInShared(args, env)
  const ended = await runAlone(args, env)
  if (ended.code === 0) hasRunAlone.add(command)
  return ended
}

function runAlone(args: string[], env: Record<string, string>): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env: { ...plainEnv, ...env } }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    )
  })
}

async function runInShared(args: string[], env: Record<string, string>): Promise<Ended> {
  shared ??= fork(join(import.meta.dirname, 'bellhop-process.ts'), { env: plainEnv, silent: true })
  const { stdout, stderr } = shared
  if (!stdout || !stderr) throw new Error('It has pipes, since it is silent.')
  const ended = once(shared, 'message')
  shared.send({ args, env })
  const [out, err, [code]] = await Promise.all([readToEnd(stdout), readToEnd(stderr), ended])
  return { code, out, err }
}

async function readToEnd(output: Readable): Promise<string> {
  let text = ''
  for await (const part of output.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += part
    if (text.endsWith(endOfOutput)) return text.slice(0, -endOfOutput.length)
  }
  throw new Error(`The process of the commands ended: ${text}`)
}
