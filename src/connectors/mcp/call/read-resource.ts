import { isObject } from '../../../platform/json/is-object.ts'
import type { ResourceAddress } from '../discovery/resource-tools.ts'
import type { CallOutcome } from './call-server.ts'

/** The request that reads a resource. */
export async function resourceRequest(
  address: ResourceAddress,
  input: Record<string, unknown>,
): Promise<{ method: string; params: Record<string, unknown> }> {
  if ('uri' in address) return { method: 'resources/read', params: { uri: address.uri } }
  const { UriTemplate } = await import('@modelcontextprotocol/client')
  const values = Object.fromEntries(Object.entries(input).map(([name, value]) => [name, String(value)]))
  return { method: 'resources/read', params: { uri: new UriTemplate(address.uriTemplate).expand(values) } }
}

/** What was read, in the form of the answer of a tool: a text is a text, an image an image, and anything else a resource. */
export function asToolResult(outcome: CallOutcome): CallOutcome {
  if (outcome.kind !== 'result' || !Array.isArray(outcome.result.contents)) return outcome
  const content = outcome.result.contents.map((one: unknown) => {
    if (!isObject(one)) return one
    if (typeof one.text === 'string') return { type: 'text', text: one.text }
    const isImage = typeof one.mimeType === 'string' && one.mimeType.startsWith('image/')
    return isImage && typeof one.blob === 'string'
      ? { type: 'image', data: one.blob, mimeType: one.mimeType }
      : { type: 'resource', resource: one }
  })
  return { kind: 'result', result: { content } }
}
