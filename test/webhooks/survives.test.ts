import assert from 'node:assert/strict'
import type { Message } from '../../src/chat/contract.ts'
import { startService } from '../support/start-service.ts'
import { general } from '../support/start-shop.ts'
import { testApiKey } from '../support/start-test-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { post } from './start-webhook-app.ts'

type Page<T> = { items: T[]; nextCursor: string | null }
type Event = { id: string; runId: string; status: string }

verifies(
  ['hooks:committed-before-answer', 'dispatch:never-stuck', 'hooks:one-event-one-run'],
  'every event that was answered 200 survives kill -9 and leads to its one run and its one reply',
  async () => {
    await using folder = await temporaryFolder()
    const env = { DATA_DIR: folder.path, API_KEY: testApiKey, LOG_LEVEL: 'error' }
    let service = await startService(env)
    await using _last = { [Symbol.asyncDispose]: async () => void (await service.stop()) }
    const readAll = async <T>(list: string): Promise<T[]> => {
      const all: T[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const query: string = cursor && `&cursor=${cursor}`
        const page = await service.api<Page<T>>('GET', `${list}?limit=100${query}`)
        all.push(...page.items)
        cursor = page.nextCursor
      }
      return all
    }
    const webhook = await service.api<{ endpointUrl: string }>('POST', '/webhooks', {
      name: 'kill',
      channelId: general,
      prompt: 'x',
      rateLimit: null,
    })
    const answered = new Map<string, string>()
    let killed: Promise<unknown> | null = null
    const senders = Array.from({ length: 8 }, async (_, sender) => {
      for (let n = 0; !killed; n++) {
        const answer = await post(webhook.endpointUrl, `{"n":"${sender}-${n}"}`).catch(() => null)
        if (answer?.status !== 200) continue
        answered.set(answer.body.eventId ?? '', answer.body.runId ?? '')
        // In the middle of the traffic, right after an answer.
        if (answered.size >= 60) killed ??= service.stop('SIGKILL')
      }
    })
    await Promise.all(senders)
    await killed

    service = await startService(env)
    // Events that were stored but not answered are handled, too.
    await until(async () => (await readAll<Event>('/events')).every(({ status }) => status === 'done'))
    const runOf = new Map((await readAll<Event>('/events')).map(({ id, runId }) => [id, runId]))
    for (const [eventId, runId] of answered) assert.equal(runOf.get(eventId), runId)
    const replies = (await readAll<Message>(`/channels/${general}/messages`)).map(({ runId }) => runId)
    assert.deepEqual(replies.toSorted(), [...runOf.values()].toSorted())
    const runs = await readAll<{ id: string }>('/runs')
    assert.deepEqual(runs.map(({ id }) => id).toSorted(), [...runOf.values()].toSorted())
  },
)
