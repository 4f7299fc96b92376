import { z } from 'zod'
import { isDeeperThan, writableDepth } from '../../../platform/json/is-deeper-than.ts'
import { McpFailure } from '../mcp-failure.ts'
import type { McpSession } from '../session/open-session.ts'
import { toResourceTools } from './resource-tools.ts'

const maxTools = 5_000
const maxPages = 200
const maxTotalMs = 60_000
/** Of all pages together: they are held in memory at once. */
const maxTotalBytes = 32 * 1024 * 1024

/** What a server offers to read is listed beside its tools. */
export async function listRawTools(session: McpSession): Promise<unknown[]> {
  const tools =
    session.offers.tools || !session.offers.resources ? await listAll(session, 'tools/list', 'tools') : []
  if (!session.offers.resources) return tools
  const resources = await listIfKnown(session, 'resources/list', 'resources')
  const templates = await listIfKnown(session, 'resources/templates/list', 'resourceTemplates')
  const { UriTemplate } = await import('@modelcontextprotocol/client')
  return [
    ...tools,
    ...toResourceTools(resources, templates, (text) => variablesOf(() => new UriTemplate(text))),
  ]
}

export async function listRawPrompts(session: McpSession): Promise<unknown[]> {
  return session.offers.prompts ? await listIfKnown(session, 'prompts/list', 'prompts') : []
}

/** Null for a template that cannot be read: nobody could call it. */
function variablesOf(parse: () => { variableNames: string[] }): string[] | null {
  try {
    return parse().variableNames
  } catch {
    return null
  }
}

const methodNotFound = -32601

/** Servers may offer resources without templates, or the other way round. */
async function listIfKnown(session: McpSession, method: string, key: string): Promise<unknown[]> {
  try {
    return await listAll(session, method, key)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === methodNotFound) return []
    throw error
  }
}

/** Every page of the server's list, with entries as the server wrote them. */
async function listAll(session: McpSession, method: string, key: string): Promise<unknown[]> {
  // The entries of a page are not validated here: one bad entry must not fail the others, so each is checked by itself.
  const page = z.looseObject({ [key]: z.array(z.unknown()), nextCursor: z.string().nullish() })
  const tools: unknown[] = []
  const read: unknown[][] = []
  const seen = new Set<string>()
  let cursor: string | null | undefined
  let bytes = 0
  const deadline = performance.now() + maxTotalMs
  while (read.length < maxPages) {
    const params = cursor == null ? {} : { cursor }
    const answer = page.safeParse(await session.request(method, params))
    if (!answer.success) {
      throw new McpFailure('bad_answer', `The server’s answer to ${method} is not a list of ${key}.`)
    }
    const entries = answer.data[key] as unknown[] // as the shape says
    bytes += session.receivedBytes()
    if (bytes > maxTotalBytes) {
      const limit = `${maxTotalBytes / 1024 / 1024} MiB`
      throw new McpFailure('too_large', `The server’s list of ${key} is larger than ${limit}.`)
    }
    if (tools.length + entries.length > maxTools) {
      throw new McpFailure(
        'too_large',
        `The server lists more than ${maxTools} ${key}. Ask its operator for a smaller list.`,
      )
    }
    cursor = answer.data.nextCursor as string | null | undefined
    const isLoop = cursor != null && seen.has(cursor)
    // Some servers do not know cursors, or end with an empty one that leads to the first page again.
    if (isLoop && read.some((earlier) => isSame(earlier, entries))) return tools
    tools.push(...entries)
    read.push(entries)
    if (cursor != null && performance.now() > deadline) {
      throw new McpFailure('timeout', `The server takes more than a minute for its list of ${key}.`)
    }
    if (cursor == null || isLoop) return tools
    seen.add(cursor)
  }
  throw new McpFailure('too_large', `The server’s list of ${key} does not end after ${maxPages} pages.`)
}

function isSame(one: unknown[], other: unknown[]): boolean {
  if (one.length !== other.length || isDeeperThan([one, other], writableDepth)) return false
  return JSON.stringify(one) === JSON.stringify(other)
}
