import { z } from 'zod'
import { isDeeperThan, writableDepth } from '../../../platform/json/is-deeper-than.ts'
import { McpFailure } from '../mcp-failure.ts'
import type { McpSession } from '../session/open-session.ts'

const maxTools = 5_000
const maxPages = 200
const maxTotalMs = 60_000
/** Of all pages together: they are held in memory at once. */
const maxTotalBytes = 32 * 1024 * 1024

/** The entries of a page are not validated here: one bad entry must not fail the others, so each is checked by itself. */
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() })

/** Every page of the server's list, with entries as the server wrote them. */
export async function listRawTools(session: McpSession): Promise<unknown[]> {
  const tools: unknown[] = []
  const read: unknown[][] = []
  const seen = new Set<string>()
  let cursor: string | null | undefined
  let bytes = 0
  const deadline = performance.now() + maxTotalMs
  while (read.length < maxPages) {
    const params = cursor == null ? {} : { cursor }
    const answer = page.safeParse(await session.request('tools/list', params))
    if (!answer.success) {
      throw new McpFailure('bad_answer', 'The server’s answer to tools/list is not a list of tools.')
    }
    bytes += session.receivedBytes()
    if (bytes > maxTotalBytes) {
      const limit = `${maxTotalBytes / 1024 / 1024} MiB`
      throw new McpFailure('too_large', `The server’s list of tools is larger than ${limit}.`)
    }
    if (tools.length + answer.data.tools.length > maxTools) {
      throw new McpFailure(
        'too_large',
        `The server lists more than ${maxTools} tools. Ask its operator for a smaller list.`,
      )
    }
    cursor = answer.data.nextCursor
    const isLoop = cursor != null && seen.has(cursor)
    // Some servers do not know cursors, or end with an empty one that leads to the first page again.
    if (isLoop && read.some((earlier) => isSame(earlier, answer.data.tools))) return tools
    tools.push(...answer.data.tools)
    read.push(answer.data.tools)
    if (cursor != null && performance.now() > deadline) {
      throw new McpFailure('timeout', 'The server takes more than a minute for its list of tools.')
    }
    if (cursor == null || isLoop) return tools
    seen.add(cursor)
  }
  throw new McpFailure('too_large', `The server’s list of tools does not end after ${maxPages} pages.`)
}

function isSame(one: unknown[], other: unknown[]): boolean {
  if (one.length !== other.length || isDeeperThan([one, other], writableDepth)) return false
  return JSON.stringify(one) === JSON.stringify(other)
}
