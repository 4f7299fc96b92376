import { setTimeout as pause } from 'node:timers/promises'
import { mattermostToken, startMattermost } from '../chat/support/start-mattermost.ts'
import { startTarget } from '../support/start-target.ts'
import { startStubOpenai } from '../support/stub-openai.ts'

const toolOf = { read: 'shop__get_order', write: 'shop__charge', ask: 'shop__refund' } as const
type Kind = keyof typeof toolOf | 'talk'

/** What the agent is asked for each delivery: its number, and whether to call a tool. */
export type Order = { number: number; kind: Kind }

export const outsideTools = [
  { name: 'get_order', method: 'GET', path: '/orders/{id}', capability: 'read' },
  { name: 'charge', method: 'POST', path: '/orders/{id}/charge', capability: 'write', permission: 'auto' },
  { name: 'refund', method: 'POST', path: '/orders/{id}/refund', capability: 'write' },
].map((tool) => ({
  ...tool,
  description: tool.name,
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
}))

/** The external systems, which outlive Bellhop: a model that follows the delivery's orders, a slow API, a slow chat. */
export async function startOutside({ slowMs = 300 } = {}) {
  await using stack = new AsyncDisposableStack()
  const model = stack.use(
    await startStubOpenai(({ body }) => {
      const order = readOrder(body)
      return order.kind === 'talk' || body.includes('"role":"tool"')
        ? { text: `Order ${order.number} is done.` }
        : { calls: [{ name: toolOf[order.kind], input: { id: String(order.number) } }] }
    }),
  )
  const shop = stack.use(
    await startTarget(async (_request, response) => {
      await pause(slowMs)
      response.setHeader('content-type', 'application/json').end('{"ok":true}')
    }),
  )
  const chat = stack.use(await startMattermost({ slowMs }))
  const opened = stack.move()
  return {
    model,
    shop,
    chat,
    connection: { platform: 'mattermost', botToken: mattermostToken, apiUrl: chat.origin },
    env: {
      ...model.compatibleEnv,
      EGRESS_PRIVATE_EXCEPTIONS: [shop.pair, chat.pair].join(','),
    },
    /** The number of writes for each delivery. */
    writes(): Map<number, number> {
      const counts = new Map<number, number>()
      for (const { method, url } of shop.seen) {
        const number = Number(url.split('/')[2])
        if (method === 'POST') counts.set(number, (counts.get(number) ?? 0) + 1)
      }
      return counts
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

function readOrder(body: string): Order {
  const [, number, kind] = /\\"number\\": ?(\d+),\s*\\"kind\\": ?\\"(\w+)\\"/.exec(body) ?? []
  if (!number) throw new Error(`There is no order in ${body}`)
  return { number: Number(number), kind: kind as Kind } // as it was sent
}
