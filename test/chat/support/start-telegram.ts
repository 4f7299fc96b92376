import type { ServerResponse } from 'node:http'
import { startTarget } from '../../support/start-target.ts'

export const telegramToken = '123456:planted-telegram-token'

type Sent = { method: string; body: Record<string, unknown> & { text?: string; chat_id?: string } }

type Button = { callback_data: string }
const reserved = /[_*[\]()~`>#+\-=|{}.!]/

/** What Telegram counts and reads before it takes a message; null when there is nothing to say against it. */
function refuse({ method, body }: Sent): string | null {
  if (method === 'answerCallbackQuery' && (body.text ?? '').length > 200) return 'MESSAGE_TOO_LONG'
  if (method !== 'sendMessage' && method !== 'editMessageText') return null
  const plain = body.parse_mode === 'MarkdownV2' ? readMarkdown(body.text ?? '') : (body.text ?? '')
  if (plain === null) return "can't parse entities: character is reserved and must be escaped"
  const read =
    body.parse_mode === 'HTML' ? plain.replaceAll(/<\/?\w+>/g, '').replaceAll(/&\w+;/g, '&') : plain
  if (read.trim() === '') return 'message text is empty'
  if (read.length > 4096) return 'message is too long'
  const markup = body.reply_markup as { inline_keyboard: Button[][] } | undefined // as it was sent
  const isTooLong = ({ callback_data: data }: Button) => Buffer.byteLength(data) > 64
  return markup?.inline_keyboard.flat().some(isTooLong) ? 'BUTTON_DATA_INVALID' : null
}

/** The words of MarkdownV2; null where a mark stands alone that should have been escaped. */
function readMarkdown(text: string): string | null {
  const code: string[] = []
  const keep = (_: string, words: string) => {
    code.push(words.replaceAll(/\\(.)/gs, '$1'))
    return ''
  }
  const rest = text
    .replaceAll(/```(?:\w+\n)?((?:\\.|[^`\\])*)```/gs, keep)
    .replaceAll(/(?<!\\)`((?:\\.|[^`\\])*)`/gs, keep)
    .replaceAll(/\\[\x21-\x7e]/g, 'x')
    .replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replaceAll(/^(?:\*\*)?>/gm, '')
  const words = ['*', '__', '_', '~', '||'].reduce((all, mark) => {
    const pieces = all.split(mark)
    return pieces.length % 2 === 1 ? pieces.join('') : all
  }, rest)
  return reserved.test(words) ? null : words + code.join('')
}

/** The Bot API on loopback: the methods that Bellhop uses, with Telegram's own answers. */
export async function startTelegram() {
  const calls: Sent[] = []
  let lastId = 1000
  const telegram = {
    calls,
    /** Messages that people deleted. */
    deleted: new Set<number>(),
    /** Answers in place of Telegram; null lets the call through. */
    fault: (_call: Sent): { status: number; body: unknown } | 'lose-answer' | null => null,
    callsOf: (method: string) => calls.filter((call) => call.method === method),
  }
  /** A message that is edited to what it is, or that is not there. */
  function refuseEdit({ method, body }: Sent): string | null {
    if (telegram.deleted.has(Number(body.message_id))) return 'message to edit not found'
    return method === 'editMessageReplyMarkup' ? 'message is not modified' : null
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
    const refusal = refuseEdit(call) ?? refuse(call)
    if (refusal) {
      const answer = { ok: false, error_code: 400, description: `Bad Request: ${refusal}` }
      return void response.writeHead(400).end(JSON.stringify(answer))
    }
    response.end(JSON.stringify({ ok: true, result: results(method) }))
  })
  return Object.assign(telegram, {
    origin: target.origin,
    pair: target.pair,
    [Symbol.asyncDispose]: () => target[Symbol.asyncDispose](),
  })
}

export type Telegram = Awaited<ReturnType<typeof startTelegram>>
