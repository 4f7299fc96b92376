import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib'
import { EgressError } from './egress-error.ts'

const decoders = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const

/** Labels of answers that are not compressed. Some servers write a character set here, and S3 the framing of an upload. */
const notCompressed = new Set(['', 'identity', 'utf-8', 'utf8', 'none', 'binary', 'aws-chunked'])
/** More layers than this are an attack. */
const maxLayers = 3

/** Undoes `Content-Encoding`. The limit counts the output: a small bomb must not fill the memory. */
export async function decompress(body: Buffer, contentEncoding: string, maxBytes: number): Promise<Buffer> {
  const layers = contentEncoding
    .toLowerCase()
    .split(',')
    .map((layer) => layer.trim())
    .filter((layer) => !notCompressed.has(layer))
  if (layers.length > maxLayers)
    throw new EgressError('bad_answer', 'The answer is compressed too many times.')

  let plain = body
  for (const layer of layers.reverse()) {
    if (plain.length > 0) plain = await decompressLayer(plain, layer, maxBytes)
  }
  return plain
}

async function decompressLayer(body: Buffer, layer: string, maxBytes: number): Promise<Buffer> {
  const limit = { maxOutputLength: maxBytes }
  try {
    if (layer === 'deflate') return await inflateEither(body, limit)
    const name = layer === 'x-gzip' ? 'gzip' : layer
    if (name === 'gzip' || name === 'br' || name === 'zstd') return await decoders[name](body, limit)
  } catch (error) {
    if (error instanceof RangeError) {
      throw new EgressError('too_large', `The answer is larger than ${maxBytes} bytes once unpacked.`, {
        cause: error,
      })
    }
    throw new EgressError(
      'bad_answer',
      `The answer says it is compressed with ${layer}, but cannot be unpacked.`,
      {
        cause: error,
      },
    )
  }
  throw new EgressError('bad_answer', 'The answer has an unknown content encoding.')
}

/** Servers disagree whether "deflate" has a zlib header; the first byte tells. */
function inflateEither(body: Buffer, limit: { maxOutputLength: number }): Promise<Buffer> {
  const hasZlibHeader = (body.readUInt8(0) & 0x0f) === 8
  return promisify(hasZlibHeader ? inflate : inflateRaw)(body, limit)
}
