import { createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import ipaddr from 'ipaddr.js'
import type { ResolveHost } from '../../src/platform/egress/resolve-host.ts'

type Answer = { a?: string[]; aaaa?: string[] }

/** A name server for tests: `answers` decides which addresses a name has at its n-th question (from 1). */
export async function startDnsServer(answers: (name: string, question: number) => Answer) {
  const asked = new Map<string, number>()
  const socket = createSocket('udp4')
  socket.on('message', (query, peer) => {
    const { name, type, end } = readQuestion(query)
    // A and AAAA of one lookup count as one question.
    const key = `${name} ${type}`
    asked.set(key, (asked.get(key) ?? 0) + 1)
    const answer = answers(name, asked.get(key) ?? 1)
    const addresses = type === 1 ? (answer.a ?? []) : type === 28 ? (answer.aaaa ?? []) : []
    const known = (answer.a?.length ?? 0) + (answer.aaaa?.length ?? 0) > 0
    socket.send(writeAnswer(query.subarray(0, end), type, addresses, known), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    /** Resolves with this server alone. */
    resolveHost: resolveBy(`127.0.0.1:${socket.address().port}`),
    /** How often the name was looked up. */
    lookups: (name: string) => asked.get(`${name} 1`) ?? 0,
    async [Symbol.asyncDispose]() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function resolveBy(server: string): ResolveHost {
  const resolver = new Resolver({ timeout: 20_000, tries: 1 })
  resolver.setServers([server])
  return async (host) => {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    if (addresses.length === 0 && v4.status === 'rejected') throw v4.reason
    return addresses
  }
}

/** RFC 1035 §4.1.2. */
function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** RFC 1035 §4.1.1 and §4.1.3, with a life of zero seconds. */
function writeAnswer(question: Buffer, type: number, addresses: string[], known: boolean): Buffer {
  const head = Buffer.from(question)
  head.writeUInt16BE(known ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(1, 4)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt16BE(0, 8)
  head.writeUInt16BE(0, 10)
  const records = addresses.map((address) => {
    const bytes = Buffer.from(ipaddr.parse(address).toByteArray())
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(type, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt16BE(bytes.length, 10)
    return Buffer.concat([record, bytes])
  })
  return Buffer.concat([head, ...records])
}
