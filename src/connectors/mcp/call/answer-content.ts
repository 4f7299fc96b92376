import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { imageTypeOf } from '../../../platform/images/image-type-of.ts'
import { isObject } from '../../../platform/json/is-object.ts'
import { parseJson } from '../../../platform/json/parse-json.ts'
import type { ToolAnswer } from '../../call/callable-tool.ts'
import type { CallResult } from './call-server.ts'

/**
 * What the model reads of a result: everything as it came, but once. Images are returned beside it, and other binary data is
 * described.
 */
export function contentForModel(result: CallResult): { result: CallResult; images: ToolAnswer['images'] } {
  const images: ToolAnswer['images'] = []
  const { content, structuredContent } = result
  const isRepeated = repeats(structuredContent, content)
  // The keys stay in their order.
  const told = Object.entries(result).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'content' && Array.isArray(value))
      return [[key, value.map((block: unknown) => describeBytes(block, images))]]
    if (key === 'structuredContent') return isRepeated ? [] : [[key, withoutBytes(value)]]
    return [[key, value]]
  })
  return { result: Object.fromEntries(told), images }
}

/** Comparing more would block the event loop. */
const comparedLength = 1024 * 1024

/** Servers with an output schema say the same in text, for clients that do not know structured content. */
function repeats(structured: unknown, content: unknown): boolean {
  if (!Array.isArray(content)) return false
  const texts = content.flatMap((block: unknown) =>
    isObject(block) && block.type === 'text' && typeof block.text === 'string' ? [block.text] : [],
  )
  const values = isObject(structured) ? Object.values(structured) : []
  const [only] = values
  if (values.length === 1 && (texts.join('\n') === only || isDeepStrictEqual(only, content))) return true
  const [text] = texts
  return (
    texts.length === 1 &&
    text !== undefined &&
    text.length <= comparedLength &&
    isDeepStrictEqual(parseJson(text), structured)
  )
}

/** Long runs of these characters are bytes, not words. */
const base64 = /^(?:data:[\w/+.-]+;base64,)?[A-Za-z0-9+/\r\n]{1024,}={0,2}\s*$/

function withoutBytes(value: unknown): unknown {
  if (typeof value === 'string') {
    if (!base64.test(value)) return value
    return describe('binary', Buffer.from(value.slice(value.indexOf(',') + 1), 'base64'))
  }
  if (Array.isArray(value)) return value.map(withoutBytes)
  if (!isObject(value)) return value
  const described = describeBytes(value, [])
  if (described !== value) return described
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutBytes(one)]))
}

function describeBytes(block: unknown, images: ToolAnswer['images']): unknown {
  if (!isObject(block)) return block
  if ((block.type === 'image' || block.type === 'audio') && typeof block.data === 'string') {
    const bytes = Buffer.from(block.data, 'base64')
    const mediaType = block.type === 'image' ? imageTypeOf(bytes) : null
    if (mediaType) images.push({ mediaType, base64: bytes.toString('base64') })
    return { ...block, data: describe(mediaType ? `image ${images.length}` : 'binary', bytes) }
  }
  const { resource } = block
  if (block.type === 'resource' && isObject(resource) && typeof resource.blob === 'string') {
    return {
      ...block,
      resource: { ...resource, blob: describe('binary', Buffer.from(resource.blob, 'base64')) },
    }
  }
  return block
}

function describe(what: string, bytes: Buffer): string {
  return `[${what}: ${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex')}]`
}
