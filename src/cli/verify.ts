import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { decodeJwt, type JSONWebKeySet } from 'jose'
import { publicUrlOf, readConfig } from '../config.ts'
import { openTrustedFetch } from '../platform/egress/fetch-through.ts'
import { isObject } from '../platform/json/is-object.ts'
import { parseJson } from '../platform/json/parse-json.ts'
import { type ReceivedRequest, verifyReceipt, verifyRequest } from '../tools/receipts/verify-receipt.ts'
import type { Options } from './command.ts'

type Given = { receipt: string; request: ReceivedRequest | null }

/** Says whether a receipt, or a request as the target captured it, is genuine; by itself, with nothing but the public keys. */
export async function verify({ file, jwks, url, at }: Options): Promise<number> {
  const given = readGiven(await (file ? readFile(file, 'utf8') : text(process.stdin)), url)
  const keys = await readKeys(jwks ?? `${publicUrlOf(readConfig())}/.well-known/jwks.json`)
  const { iat = 0, exp = 0 } = decode(given.receipt)
  const when = at ? new Date(at) : new Date(iat * 1000)
  if (Number.isNaN(when.getTime())) throw new Error(`--at ${at}: use a date and time, 2026-11-18T09:00:00Z.`)
  const verdict = given.request
    ? await verifyRequest(given.request, keys, when)
    : await verifyReceipt(given.receipt, keys, when)
  if (!verdict.ok) {
    process.stderr.write(`Not genuine. ${verdict.reason}\n`)
    return 1
  }
  const isOver = exp * 1000 <= Date.now()
  const lines = [
    given.request
      ? 'Genuine: this request was approved and sent as it is.'
      : 'Genuine: the receipt is signed by Bellhop.',
    ...factsOf(verdict.claims),
    `in force: ${timeOf(iat)} to ${timeOf(exp)}${isOver && !at ? ' (it is over: a target refuses it now)' : ''}`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return 0
}

/** A JWS, the answer of GET /approvals/{id}/receipt, or a request as it went over the wire. */
function readGiven(content: string, url: string | undefined): Given {
  const saved = parseJson(content.trim())
  if (isObject(saved) && typeof saved.receipt === 'string') return { receipt: saved.receipt, request: null }
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(content.trim())) return { receipt: content.trim(), request: null }
  const request = readRequest(content, url)
  const receipt = request?.headers['bellhop-approval']
  if (!request || !receipt) throw new Error(notReadable)
  return { receipt, request }
}

function readRequest(content: string, url: string | undefined): ReceivedRequest | null {
  const [, head = '', body = ''] = /^(.*?)(?:\r?\n\r?\n(.*))?$/s.exec(content) ?? []
  const [first = '', ...lines] = head.split(/\r?\n/)
  const [, method, target = ''] = /^([A-Z]+) (\S+)(?: HTTP\/[\d.]+)?$/.exec(first) ?? []
  if (!method) return null
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const full = url ?? (URL.canParse(target) ? target : `https://${headers.host}${target}`)
  if (!URL.canParse(full)) throw new Error(`--url ${full}: give the complete address of the target.`)
  return { method, url: full, headers, body: Buffer.from(body) }
}

async function readKeys(from: string): Promise<JSONWebKeySet> {
  const parsed = parseJson(/^https?:/.test(from) ? await download(from) : await readFile(from, 'utf8'))
  const found = isObject(parsed) ? parsed : {}
  // A saved receipt has the key that signed it, for when it is not published any more.
  const keys = found.keys ?? (found.key ? [found.key] : null)
  if (!Array.isArray(keys)) throw new Error(`${from} has no list of keys (RFC 7517).`)
  return { keys }
}

async function download(url: string): Promise<string> {
  await using wire = openTrustedFetch({ headersTimeoutMs: 10_000, idleTimeoutMs: 10_000 })
  const answer = await wire.fetch(url).catch((cause: unknown) => {
    throw new Error(`The keys cannot be read from ${url}. Give a file or an address with --jwks.`, { cause })
  })
  return await answer.text()
}

function decode(receipt: string) {
  try {
    return decodeJwt(receipt)
  } catch (cause) {
    throw new Error(notReadable, { cause })
  }
}

const notReadable =
  'This is no receipt: give a JWS, the answer of GET /api/v1/approvals/{id}/receipt, or a request as the target received it.'

function factsOf(claims: Record<string, unknown>): string[] {
  return ['iss', 'tool', 'approval', 'run', 'call', 'digest', 'cause', 'decidedBy'].map((name) => {
    const value = claims[name]
    return `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`
  })
}

const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString()
