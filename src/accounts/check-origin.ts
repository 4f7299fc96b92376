import { problem } from '../problems.ts'
import { readAuthorization } from './read-authorization.ts'

type Context = { publicUrl: string }

/**
 * A browser sends our cookie along whoever asks it to; this refuses changes that another site asks for. It also covers sign-in
 * itself, or a stranger could sign a visitor in to the stranger's account. A browser says where a change comes from in
 * Sec-Fetch-Site or Origin (older ones, and plain http); a caller that sends neither is no browser and carries nobody's cookie
 * unasked.
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
    'The request comes from another site. Use the dashboard at its own address; if it has another address than Bellhop thinks, set PUBLIC_URL.',
  )
}

function isOurs({ publicUrl }: Context, request: Request, origin: string): boolean {
  if (!URL.canParse(origin)) return false
  return new URL(publicUrl).origin === origin || new URL(origin).host === request.headers.get('host')
}
