import { type Actor, mayActAs } from '../../actor.ts'
import { endpoint } from '../../endpoint.ts'
import { problem } from '../../problems.ts'
import { answerMcp, type ServeContext } from './answer-mcp.ts'

const define = endpoint<ServeContext>()

export const serveMcp = define({
  summary: 'The enabled tools, for MCP clients (Streamable HTTP, API key)',
  status: 200,
  problems: ['invalid-request'],
  answer: async (ctx, { actor, raw }) => answerMcp(ctx, demandKey(actor), raw),
})

/** A browser carries its cookie to whoever asks; only somebody who names a key means to call tools. */
function demandKey(actor: Actor): Actor {
  if (actor.kind === 'api-key' && mayActAs(actor, 'member')) return actor
  throw problem(
    'invalid-request',
    'MCP clients sign in with an API key: send it as "Authorization: Bearer blh_…".',
  )
}
