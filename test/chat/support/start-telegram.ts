import type { ServerResponse } from 'node:http'
import { startTarget } from '../../support/start-target.ts'

export const telegramToken = '123456:planted-telegram-token'

type Sent = { method: string; body: Record<string, unknown> & { text?: string; chat_id?: string } }

/** The Bot API on loopback: the methods that Bellhop uses, with Telegram's own answers. */
export async function startTelegram() {
  const calls: Sent[] = []
  let lastId = 1000
  const telegram = {
    calls,
    /** Answers in place of Telegram; null lets the call through. */
    fault: (_call: Sent): { status: number; body: unknown } | 'lose-answer' | null => null,
    callsOf: (method: string) => calls.filter((call) => call.method === method),
  }
  function results(method: string): unknown {
    if (method === 'getMe') return { id: 42, is_bot: true, first_name: 'Bellhop', username: 'bellhop_bot' }
    if (method === 'sendMessage') return { message_id: ++lastId }
    return true
  }
  const target = await startTarget((request, response: ServerResponse) => {
    const [, token, method = ''] = request.url.match(/^\/bot([^/]+)\/(\w+)$/) ?? []
    response.setHeader('content-type', 'application/json')
    if (token !== telegramToken) {
      response.writeHead(401).end('{"ok":false,"error_code":401,"description":"Unauthorized"}')
      return
    }
    const call = { method, body: JSON.parse(request.body) as Sent['body'] }
    calls.push(call)
    const fault = telegram.fault(call)
    if (fault === 'lose-answer') return void response.destroy()
    if (fault) return void response.writeHead(fault.status).end(JSON.stringify(fault.body))
    response.end(JSON.stringify({ ok: true, result: results(method) }))
  })
  return Object.assign(telegram, {
    origin: target.origin,
    pair: target.pair,
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  })
}

export type Telegram = Awaited<ReturnType<typeof startTelegram>>
