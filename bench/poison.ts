import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { createLog } from '../src/platform/log.ts'
import { startBenchDatabase } from './database.ts'
import { benchKey } from './service.ts'

const mib = 1024 * 1024
const times = 3

/** Bodies of 1 MiB designed to keep a process busy. */
const bodies: Record<string, () => string> = {
  'a million deep': () => '['.repeat(mib),
  'objects a hundred thousand deep': () => '{"a":'.repeat(mib / 5),
  'one long text': () => `"${'x'.repeat(mib - 2)}"`,
  'escapes only': () => `"${'\\u0041'.repeat((mib - 2) / 6)}"`,
  'one long number': () => '1'.repeat(mib),
  'many keys': () => `{${Array.from({ length: 70_000 }, (_, n) => `"key${n}":${n % 10}`).join(',')}}`,
  'many objects, each of another shape': () =>
    `{"id":[${Array.from({ length: 90_000 }, (_, n) => `{"${n.toString(36)}":0}`).join(',')}]}`,
  'many small objects': () => `[${Array.from({ length: 110_000 }, (_, n) => `{"k":${n % 10}}`).join(',')}]`,
  'open to the very end': () => `[${'"a",'.repeat(mib / 4 - 1)}`,
}

type Block = { clockMs: number; processorMs: number }

export type PoisonFigures = {
  /** The longest time that the event loop was blocked. Goal: 50. */
  longestBlockMs: number
  /** How long it worked at a stretch. Linux counts in steps of 4 ms. */
  longestWorkMs: number
  /** The longest block without such bodies. */
  quietBlockMs: number
}

/** The whole service in this process, so that its event loop can be watched; the requests come from another process. */
export async function benchPoison(): Promise<PoisonFigures> {
  await using stack = new AsyncDisposableStack()
  const { create } = await startBenchDatabase(stack)
  const log = await createLog({ level: 'error', pretty: false })
  const env = { PORT: '0', API_KEY: benchKey, LOG_LEVEL: 'error', ...(await create('poison')) }
  const app = stack.use(await startApp(readConfig(env), { log }))
  const call = async <T>(path: string, body: unknown) => {
    const answer = await fetch(`${app.url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    // Our own API, whose shapes the caller names.
    return (await answer.json()) as T
  }
  const channel = await call<{ id: string }>('/channels', { name: 'poison' })
  const webhook = await call<{ endpointUrl: string }>('/webhooks', {
    name: 'Poison',
    channelId: channel.id,
    prompt: 'Say what came.',
    rateLimit: null,
    deliveryId: { pointer: '/id' },
  })
  const url = `${app.url}${new URL(webhook.endpointUrl).pathname}`
  const send = startSender(stack, url)
  await send('one long text')
  await pause(2_000)
  const quiet = await watch('nothing', () => pause(3_000))
  const blocks: Block[] = []
  for (const name of Object.keys(bodies)) blocks.push(await watch(name, () => send(name)))
  return {
    longestBlockMs: Math.max(...blocks.map(({ clockMs }) => clockMs)),
    longestWorkMs: Math.max(...blocks.map(({ processorMs }) => processorMs)),
    quietBlockMs: quiet.clockMs,
  }
}

/** Between two turns of a timer, by the clock and by the processor: neighbours on the same cores only prolong the former. */
async function watch(name: string, act: () => Promise<unknown>): Promise<Block> {
  const longest: Block = { clockMs: 0, processorMs: 0 }
  let last = sinceStart()
  const timer = setInterval(() => {
    const now = sinceStart()
    longest.clockMs = Math.max(longest.clockMs, now.clockMs - last.clockMs)
    longest.processorMs = Math.max(longest.processorMs, now.processorMs - last.processorMs)
    last = now
  }, 1)
  await act()
  // Their runs use the same event loop.
  await pause(1_000)
  clearInterval(timer)
  console.log(`${longest.clockMs.toFixed(1)} ms, ${longest.processorMs.toFixed(1)} of the processor: ${name}`)
  return longest
}

function sinceStart(): Block {
  const { user, system } = process.threadCpuUsage()
  return { clockMs: performance.now(), processorMs: (user + system) / 1_000 }
}

/** A process of its own, started before we watch: starting one blocks the event loop. */
function startSender(stack: AsyncDisposableStack, url: string): (name: string) => Promise<void> {
  const child = fork(import.meta.filename, [url])
  stack.defer(() => void child.kill())
  return async (name) => {
    child.send(name)
    const [fault] = await once(child, 'message')
    if (fault) throw new Error(`The sender of “${name}”: ${fault}`)
  }
}

const [url] = process.argv.slice(2)
if (import.meta.main && url) {
  process.on('message', async (name: string) => process.send?.(await deliver(url, bodies[name]?.() ?? '')))
}

/** What went wrong; empty if nothing did. */
async function deliver(url: string, body: string): Promise<string> {
  for (let n = 0; n < times; n++) {
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    await answer.text()
    if (answer.status !== 200 && answer.status !== 400) return `The ingress answered ${answer.status}.`
  }
  return ''
}
