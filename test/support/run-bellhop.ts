import { type ChildProcess, execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { after } from 'node:test'
import { endOfOutput } from './bellhop-process.ts'
import { plainEnv } from './plain-env.ts'

type Ended = { code: number; out: string; err: string }

const main = join(import.meta.dirname, '../../src/main.ts')
const ranAlone = new Set<string>()
let shared: ChildProcess | undefined
after(() => shared?.kill())

/**
 * For commands that ask a running service, one after the other. The first use of each is a process of its own, as a person starts it;
 * the others share a process, since nearly all of their time is that of loading modules.
 */
export async function runBellhop(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  const [command = ''] = args
  if (ranAlone.has(command)) return await runInShared(args, env)
  ranAlone.add(command)
  return await new Promise((resolve) => {
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

function readToEnd(output: Readable): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    output.on('data', function read(bytes: Buffer) {
      text += bytes
      if (!text.endsWith(endOfOutput)) return
      output.off('data', read)
      resolve(text.slice(0, -endOfOutput.length))
    })
  })
}
