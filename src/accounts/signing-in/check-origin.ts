import { problem } from '../../http/problems.ts'
import { isLoopback } from '../../platform/http-server/is-loopback.ts'
import { readAuthorization } from './read-authorization.ts'

type Context = { publicUrl: string }

/**
 * A browser sends our cookie whichever site causes the request, so changes caused by another site are refused. This
 * covers sign-in too: otherwise a stranger could sign a visitor in to the stranger's account. A browser names the
 * origin of a change in Sec-Fetch-Site or Origin (older ones, and over plain http). A caller that sends neither is
 * not a browser, so it sends no cookie on somebody else's behalf.
 */
export function checkOrigin(ctx: Context, request: Request): void {
  if (readAuthorization(request) !== null) return
  const site = request.headers.get('sec-fetch-site')
  const origin = request.headers.get('origin')
  if (site === 'same-origin' || site === 'none') return
  if (site === null && origin === null) return
  if (site === null && origin !== null && isOurs(ctx, request, origin)) return
  throw problem(
    'wrong-origin',
    'The request comes from another site. Open the dashboard at its own address. If Bellhop is reached under a different address, set PUBLIC_URL.',
  )
}

function isOurs({ publicUrl }: Context, request: Request, given: string): boolean {
  const origin = URL.parse(given)
  if (!origin) return false
  const ours = new URL(publicUrl)
  if (origin.origin === ours.origin) return true
  if (origin.host !== request.headers.get('host')) return false
  // Our cookie is then only for https: the person would sign in and be asked to sign in again.
  if (ours.protocol === 'https:' && origin.protocol === 'http:' && !isLoopback(origin)) {
    throw problem(
      'wrong-origin',
      `This page was opened over http, but PUBLIC_URL uses https, so the browser would not keep the session. Open ${publicUrl}, or correct PUBLIC_URL.`,
    )
  }
  return true
}
