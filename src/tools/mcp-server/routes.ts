import { endpoint } from '../../http/endpoint.ts'
import { problem } from '../../http/problems.ts'
import { isLoopback } from '../../platform/http-server/is-loopback.ts'
import { originOf } from '../../platform/http-server/origin-of.ts'
import { type Actor, mayActAs } from '../../shared/actor.ts'
import { answerMcp, type ServeContext } from './answer-mcp.ts'

const define = endpoint<ServeContext>()

export const serveMcp = define({
  summary: 'MCP endpoint with the enabled tools (Streamable HTTP; API key, or token of the OpenID provider)',
  status: 200,
  problems: ['invalid-request', 'wrong-origin'],
  answer: async (ctx, { actor, raw }) => {
    refuseOtherSites(ctx, raw)
    return await answerMcp(ctx, requireBearer(actor, raw), raw)
  },
})

/** MCP requires this of every server: pages of other sites are refused, even with a key. Other clients send no Origin. */
function refuseOtherSites({ publicUrl }: ServeContext, request: Request): void {
  const origin = request.headers.get('origin')
  if (origin === null) return
  const site = URL.parse(origin)
  if (site && (site.origin === originOf(publicUrl) || isLoopback(site))) return
  throw problem('wrong-origin', 'Connect from a program, or from a page at the address of Bellhop itself.')
}

/** A browser sends its cookie whichever site asks, so only requests with a key or token may call tools. */
function requireBearer(actor: Actor, request: Request): Actor {
  if (request.headers.has('authorization') && mayActAs(actor, 'member')) return actor
  throw problem(
    'invalid-request',
    'MCP clients sign in with an API key: send it as "Authorization: Bearer blh_…".',
  )
}
