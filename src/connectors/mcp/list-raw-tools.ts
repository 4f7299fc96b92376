import { z } from 'zod'
import { McpFailure } from './mcp-failure.ts'
import type { McpSession } from './open-session.ts'

/** A tool as the server wrote it, field for field and in its order. */
export type RawTool = Record<string, unknown>

const maxTools = 5_000
const maxPages = 200

/**
 * Loose on purpose: the SDK's own shape for this answer sorts keys anew, and fails the whole list for one bad tool.
 * A page is a list of anything; each tool is judged by itself.
 */
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() })

export async function listRawTools({ client }: McpSession, timeoutMs: number): Promise<RawTool[]> {
  const tools: RawTool[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let pages = 0; pages < maxPages; pages++) {
    const params = cursor === undefined ? {} : { cursor }
    const answer = await client.request({ method: 'tools/list', params }, page, { timeout: timeoutMs })
    tools.push(...answer.tools.filter(isObject))
    if (tools.length > maxTools) {
      throw new McpFailure(
        'too_large',
        `The server lists more than ${maxTools} tools. Ask its operator for a smaller list.`,
      )
    }
    cursor = answer.nextCursor
    if (cursor === undefined || seen.has(cursor)) return tools
    seen.add(cursor)
  }
  throw new McpFailure('too_large', `The server’s list of tools does not end after ${maxPages} pages.`)
}

function isObject(value: unknown): value is RawTool {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
