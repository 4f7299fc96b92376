import { problem } from '../../../http/problems.ts'
import type { Vault } from '../../../platform/crypto/vault.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { Egress } from '../../../platform/egress/open-egress.ts'
import { isObject } from '../../../platform/json/is-object.ts'
import type { ConnectorId } from '../../../shared/ids.ts'
import { getConnector } from '../../manage/get-connector.ts'
import type { GrantsContext } from '../../oauth/grant-authenticator.ts'
import { serverOf } from '../discovery/discover-tools.ts'
import { explainMcpFailure } from '../mcp-failure.ts'
import { openMcpSession } from '../session/open-session.ts'
import { textOf } from './to-prompts.ts'

const longestPrompt = 20_000

/** Asks the server for the text of a prompt. A person reads and changes it before the agent gets it. */
export async function readPrompt(
  ctx: GrantsContext & { db: Db; egress: Egress; vault: Vault },
  id: ConnectorId,
  given: { name: string; arguments: Record<string, string> },
): Promise<{ text: string }> {
  const stored = await getConnector(ctx.db, id)
  if (stored.row.type !== 'mcp') throw problem('not-found', 'Only MCP connectors have prompts.')
  const server = serverOf(ctx, stored)
  try {
    await using session = await openMcpSession(ctx, server)
    const { messages } = await session.request('prompts/get', given)
    const texts = (Array.isArray(messages) ? (messages as unknown[]) : []).flatMap((message) =>
      isObject(message) && isObject(message.content) ? (textOf(message.content.text) ?? []) : [],
    )
    return { text: texts.join('\n\n').slice(0, longestPrompt).toWellFormed() }
  } catch (error) {
    throw problem('server-unreachable', explainMcpFailure(error, server).message)
  }
}
