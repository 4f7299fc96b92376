import { parse, serialize } from 'hono/utils/cookie'
import { basePathOf } from '../../platform/http-server/base-path.ts'

type Context = { publicUrl: string }

export function writeCookie(ctx: Context, name: string, value: string, maxAge: number): string {
  const path = basePathOf(ctx.publicUrl) || '/'
  const secure = isSecure(ctx)
  return serialize(fullName(ctx, name), value, { path, maxAge, httpOnly: true, sameSite: 'Lax', secure })
}

export function readCookie(ctx: Context, name: string, request: Request): string | null {
  const full = fullName(ctx, name)
  return parse(request.headers.get('cookie') ?? '', full)[full] || null
}

/**
 * Browsers accept a `__Host-` cookie only over https and for a whole host, and from no neighbouring host. With a base path, another
 * Bellhop may share the host.
 */
function fullName(ctx: Context, name: string): string {
  if (!isSecure(ctx)) return name
  return `${basePathOf(ctx.publicUrl) === '' ? '__Host-' : '__Secure-'}${name}`
}

function isSecure({ publicUrl }: Context): boolean {
  return publicUrl.startsWith('https:')
}
