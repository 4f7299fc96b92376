import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

export type ServerSocket = {
  send(frame: unknown): void
  close(code: number, reason?: string): void
  /** Without a closing handshake, as when a cable is cut. */
  cut(): void
  /** The cable is cut after so many bytes of the frame. Returns how many the whole frame has. */
  cutWithin(frame: unknown, bytes: number): number
  onFrame(hear: (frame: Record<string, unknown>) => void): void
  /** With the client's code; 1006 if it sent none. */
  onClose(hear: (code: number) => void): void
}

const opcodes = { text: 0x1, close: 0x8, ping: 0x9, pong: 0xa }

/** The server side of RFC 6455, as far as JSON platforms use it: whole frames, no extensions. */
export function acceptSocket(request: IncomingMessage, socket: Duplex): ServerSocket {
  const accept = createHash('sha1')
    .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
  )
  let hearFrame = (_frame: Record<string, unknown>) => {}
  let hearClose = (_code: number) => {}
  let buffer: Buffer = Buffer.alloc(0)
  let code = 1006

  socket.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk])
    for (let frame = readFrame(); frame; frame = readFrame()) {
      if (frame.opcode === opcodes.text) hearFrame(JSON.parse(frame.payload.toString()))
      if (frame.opcode === opcodes.ping) write(opcodes.pong, frame.payload)
      if (frame.opcode === opcodes.close) {
        code = frame.payload.length >= 2 ? frame.payload.readUInt16BE() : 1005
        if (socket.writable) write(opcodes.close, frame.payload.subarray(0, 2))
        socket.end()
      }
    }
  })
  socket.on('end', () => socket.end())
  socket.on('close', () => hearClose(code))

  /** A client's frame is masked. */
  function readFrame(): { opcode: number; payload: Buffer } | null {
    if (buffer.length < 6) return null
    const short = buffer.readUInt8(1) & 0x7f
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0
    const maskAt = 2 + lengthBytes
    if (buffer.length < maskAt + 4) return null
    const length =
      lengthBytes === 2
        ? buffer.readUInt16BE(2)
        : lengthBytes === 8
          ? Number(buffer.readBigUInt64BE(2))
          : short
    const end = maskAt + 4 + length
    if (buffer.length < end) return null
    const mask = buffer.subarray(maskAt, maskAt + 4)
    const payload = Buffer.from(buffer.subarray(maskAt + 4, end).map((byte, n) => byte ^ (mask[n % 4] ?? 0)))
    const opcode = buffer.readUInt8(0) & 0x0f
    buffer = buffer.subarray(end)
    return { opcode, payload }
  }

  function toBytes(opcode: number, payload: Buffer): Buffer {
    const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65536 ? 4 : 10)
    head.writeUInt8(0x80 | opcode, 0)
    if (head.length === 2) head.writeUInt8(payload.length, 1)
    else if (head.length === 4) head.writeUInt16BE(payload.length, head.writeUInt8(126, 1))
    else head.writeBigUInt64BE(BigInt(payload.length), head.writeUInt8(127, 1))
    return Buffer.concat([head, payload])
  }

  const write = (opcode: number, payload: Buffer) => void socket.write(toBytes(opcode, payload))

  return {
    send: (frame) => {
      if (socket.writable) write(opcodes.text, Buffer.from(JSON.stringify(frame)))
    },
    close(closing, reason = '') {
      const payload = Buffer.alloc(2 + Buffer.byteLength(reason))
      payload.writeUInt16BE(closing)
      payload.write(reason, 2)
      write(opcodes.close, payload)
    },
    cut: () => void socket.destroy(),
    cutWithin(frame, bytes) {
      const whole = toBytes(opcodes.text, Buffer.from(JSON.stringify(frame)))
      hearFrame = () => {}
      socket.write(whole.subarray(0, bytes), () => socket.destroy())
      return whole.length
    },
    onFrame: (hear) => {
      hearFrame = hear
    },
    onClose: (hear) => {
      hearClose = hear
    },
  }
}
