import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { quantile } from './quantile.ts'

const connections = 64
const secret = Buffer.alloc(24, 7)

/** The verification settings that a webhook needs for this load. */
export const loadVerification = {
  preset: 'standard_webhooks',
  secrets: [`whsec_${secret.toString('base64')}`],
}

export type Load = { perSecond: number; p99Ms: number; maxMs: number }

/** A closed loop: each connection sends its next request when the last one is answered. */
export async function pushLoad(url: string, ms: number, most: number): Promise<Load> {
  const requests = signedRequests(url, most)
  const times: number[] = []
  const lanes = await openLanes(url)
  const startedAt = performance.now()
  await Promise.all(
    lanes.map(async (lane) => {
      while (performance.now() - startedAt < ms) {
        const request = requests.pop()
        if (!request) break
        times.push(await lane.send(request))
      }
    }),
  )
  const seconds = (performance.now() - startedAt) / 1000
  for (const lane of lanes) lane.close()
  return summary(times, seconds)
}

/** An open loop: requests are sent on schedule, answered or not. */
export async function keepLoad(url: string, perSecond: number, seconds: number): Promise<Load> {
  const lanes = await openLanes(url)
  const startedAt = performance.now()
  const times = await Promise.all(
    signedRequests(url, perSecond * seconds).map(async (request, index) => {
      const dueAt = startedAt + (index * 1000) / perSecond
      await new Promise((resolve) => setTimeout(resolve, Math.max(1, dueAt - performance.now())))
      return lanes[index % connections]?.send(request) ?? Number.NaN
    }),
  )
  for (const lane of lanes) lane.close()
  return summary(times, seconds)
}

function summary(times: readonly number[], seconds: number): Load {
  return {
    perSecond: times.length / seconds,
    p99Ms: quantile(times, 0.99),
    maxMs: quantile(times, 1),
  }
}

let sent = 0

/** Signed in advance, so that the sender's computation is not measured. */
function signedRequests(url: string, count: number): Buffer[] {
  const time = String(Math.floor(Date.now() / 1000))
  const path = new URL(url).pathname
  return Array.from({ length: count }, () => {
    const id = `msg_${process.pid}_${sent++}`
    const body = JSON.stringify({
      event: 'order.created',
      id,
      order: {
        total: '49.90',
        lines: Array.from({ length: 9 }, (_, at) => ({
          sku: `SKU-${at}`,
          count: at,
          note: 'as ordered by the customer',
        })),
      },
    })
    const signature = createHmac('sha256', secret).update(`${id}.${time}.${body}`).digest('base64')
    const head = [
      `POST ${path} HTTP/1.1`,
      'host: 127.0.0.1',
      'content-type: application/json',
      'user-agent: bench',
      `webhook-id: ${id}`,
      `webhook-timestamp: ${time}`,
      `webhook-signature: v1,${signature}`,
      `content-length: ${Buffer.byteLength(body)}`,
    ]
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
  })
}

type Lane = {
  /** Returns the milliseconds until the whole answer had arrived. */
  send(request: Buffer): Promise<number>
  close(): void
}

function openLanes(url: string): Promise<Lane[]> {
  return Promise.all(Array.from({ length: connections }, () => openLane(Number(new URL(url).port))))
}

/** A minimal client: it shares the machine with what is measured. */
async function openLane(port: number): Promise<Lane> {
  const waiting: { sentAt: number; resolve(ms: number): void; reject(error: Error): void }[] = []
  let rest = ''
  const socket = net.connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: Buffer.allocUnsafe(16_384),
      callback(size, buffer) {
        let answers = rest + Buffer.from(buffer.buffer, buffer.byteOffset, size).toString('latin1')
        for (let end = endOfAnswer(answers); end > 0; end = endOfAnswer(answers)) {
          const { sentAt, resolve, reject } = waiting.shift() ?? unasked()
          if (answers.startsWith('HTTP/1.1 200')) resolve(performance.now() - sentAt)
          else reject(new Error(`Answered ${answers.slice(0, end)}`))
          answers = answers.slice(end)
        }
        rest = answers
        return true
      },
    },
  })
  await once(socket, 'connect')
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ sentAt: performance.now(), resolve, reject })
        socket.write(request)
      }),
    close: () => socket.destroy(),
  }
}

/** The index after the first complete answer, or 0. */
function endOfAnswer(answers: string): number {
  const headEnd = answers.indexOf('\r\n\r\n')
  if (headEnd < 0) return 0
  const length = /content-length: (\d+)/i.exec(answers)
  const end = headEnd + 4 + Number(length?.[1])
  return answers.length < end ? 0 : end
}

function unasked(): never {
  throw new Error('An answer came that nobody asked for.')
}
