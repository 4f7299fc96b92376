import { z } from 'zod'
import { McpFailure } from './mcp-failure.ts'
import type { McpSession } from './open-session.ts'

const maxTools = 5_000
const maxPages = 200
const maxTotalMs = 60_000

/** The entries of a page are not validated here: one bad entry must not fail the others, so each is checked by itself. */
const page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() })

/** Every page of the server's list, with entries as the server wrote them. */
export async function listRawTools(session: McpSession): Promise<unknown[]> {
  const tools: unknown[] = []
  const seen = new Set<string>()
  let cursor: string | null | undefined
  const deadline = performance.now() + maxTotalMs
  for (let pages = 0; pages < maxPages; pages++) {
    const params = cursor == null ? {} : { cursor }
    const answer = page.safeParse(await session.request('tools/list', params))
    if (!answer.success) {
      throw new McpFailure('bad_answer', 'The server’s answer to tools/list is not a list of tools.')
    }
    if (tools.length + answer.data.tools.length > maxTools) {
      throw new McpFailure(
        'too_large',
        `The server lists more than ${maxTools} tools. Ask its operator for a smaller list.`,
      )
    }
    tools.push(...answer.data.tools)
    cursor = answer.data.nextCursor
    if (cursor != null && performance.now() > deadline) {
      throw new McpFailure('timeout', 'The server takes more than a minute for its list of tools.')
    }
    if (cursor == null || seen.has(cursor)) return tools
    seen.add(cursor)
  }
  throw new McpFailure('too_large', `The server’s list of tools does not end after ${maxPages} pages.`)
}
