import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { testApiKey } from '../support/start-test-app.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { post } from './start-webhook-app.ts'

const main = join(import.meta.dirname, '../../src/main.ts')

/** The real process, as `npm start` runs it, on a data folder of its own. */
function start(dataDir: string, port: number): ChildProcess {
  return spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DATA_DIR: dataDir,
      API_KEY: testApiKey,
      LOG_LEVEL: 'error',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

async function isReady(port: number, service: ChildProcess): Promise<boolean> {
  if (service.exitCode !== null) throw new Error(`The service ended with ${service.exitCode}.`)
  return await fetch(`http://127.0.0.1:${port}/readyz`).then(
    (response) => response.ok,
    () => false,
  )
}

async function api<T>(port: number, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { authorization: `Bearer ${testApiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  assert.ok(response.ok, `${method} ${path} answered ${response.status}`)
  // The shapes are those of the API's own contract.
  return (await response.json()) as T
}

verifies(
  ['hooks:committed-before-answer', 'dispatch:never-stuck'],
  'every event that was answered 200 survives kill -9 and leads to its one run',
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'bellhop-kill-'))
    const port = await freePort()
    let service = start(dataDir, port)
    try {
      await until(() => isReady(port, service), 240_000)
      const channel = await api<{ id: string }>(port, 'POST', '/api/v1/channels', { name: 'kill' })
      const webhook = await api<{ endpointUrl: string }>(port, 'POST', '/api/v1/webhooks', {
        name: 'kill',
        channelId: channel.id,
        prompt: 'x',
        active: true,
        rateLimit: null,
      })
      const url = webhook.endpointUrl.replace('localhost', '127.0.0.1')
      const closed = once(service, 'close')
      const answered = new Map<string, string>()
      let killed = false
      const senders = Array.from({ length: 8 }, async (_, sender) => {
        for (let n = 0; !killed; n++) {
          const answer = await post(url, `{"n":"${sender}-${n}"}`).catch(() => null)
          if (answer?.status !== 200) continue
          answered.set(answer.body.eventId ?? '', answer.body.runId ?? '')
          if (answered.size < 200 || killed) continue
          // In the middle of the traffic, right after an answer.
          killed = true
          service.kill('SIGKILL')
        }
      })
      await Promise.all(senders)
      await closed

      service = start(dataDir, port)
      await until(() => isReady(port, service), 240_000)
      const events = new Map<string, { runId: string; status: string }>()
      await until(async () => {
        let cursor = ''
        do {
          const page = await api<{
            items: { id: string; runId: string; status: string }[]
            nextCursor: string | null
          }>(port, 'GET', `/api/v1/events?limit=100${cursor}`)
          for (const event of page.items) events.set(event.id, event)
          cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`
        } while (cursor !== '')
        return [...answered.keys()].every((id) => events.get(id)?.status === 'done')
      }, 240_000)
      for (const [eventId, runId] of answered) assert.equal(events.get(eventId)?.runId, runId)
    } finally {
      if (service.exitCode === null && service.kill('SIGTERM')) await once(service, 'close')
      await rm(dataDir, { recursive: true, force: true })
    }
  },
)
