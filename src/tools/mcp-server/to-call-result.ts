import type { CallToolResult } from '@modelcontextprotocol/server'
import type { ToolAnswer } from '../../connectors/call/callable-tool.ts'
import { cutNesting } from '../../platform/json/cut-nesting.ts'
import { hasTooManyValues } from '../../platform/json/has-too-many-values.ts'
import { writableDepth } from '../../platform/json/is-deeper-than.ts'
import { isObject } from '../../platform/json/is-object.ts'
import { isRawNumber, parseExactJson } from '../../platform/json/parse-exact-json.ts'

type ContentBlock = CallToolResult['content'][number]

export type CallResult = {
  content: ContentBlock[]
  structuredContent?: Record<string, unknown>
  isError?: boolean
  _meta?: Record<string, unknown>
}

/**
 * The gate's answer in MCP's form. What an MCP server answered is handed on block by block. Of an API it is the body unchanged,
 * headers and images beside it, and a JSON object also as structured content.
 */
export function toCallResult(answer: ToolAnswer, runId: string): CallResult {
  if (answer.mcp) {
    return {
      // The client checks the blocks; an unknown kind is for it to judge.
      content: answer.mcp.content as ContentBlock[],
      ...(answer.mcp.structuredContent ? { structuredContent: answer.mcp.structuredContent } : {}),
      ...(answer.error ? { isError: true } : {}),
      _meta: { 'bellhop/runId': runId },
    }
  }
  const { error, headers, body, images, status, contentType } = answer
  const said = error ? [`error ${error.code}: ${error.message}`] : []
  const texts = [...said, ...(body === '' && error ? [] : [body]), ...(headers === '' ? [] : [headers])]
  const structured = error === null && contentType?.includes('json') ? parseObject(body) : null
  return {
    content: [
      ...texts.map((text) => ({ type: 'text' as const, text })),
      ...images.map(({ base64, mediaType }) => ({
        type: 'image' as const,
        data: base64,
        mimeType: mediaType,
      })),
    ],
    ...(structured ? { structuredContent: structured } : {}),
    // An API that answers 4xx or 5xx has answered, but did not do what was asked.
    ...(error || (status !== null && status >= 400) ? { isError: true } : {}),
    _meta: { 'bellhop/runId': runId, 'bellhop/status': status, 'bellhop/contentType': contentType },
  }
}

/** More values than fit into this are only given as text: parsing and writing them would block the event loop. */
const structuredBytes = 1024 * 1024

/** Numbers stay as the API wrote them. */
function parseObject(text: string): Record<string, unknown> | null {
  if (cutNesting(text, writableDepth) !== text) return null
  if (hasTooManyValues(Buffer.from(text), structuredBytes)) return null
  const value = parseExactJson(text)
  return isObject(value) && !isRawNumber(value) ? value : null
}
