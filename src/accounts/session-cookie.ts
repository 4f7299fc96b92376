import { parse, serialize } from 'hono/utils/cookie'
import { basePathOf } from '../platform/http/base-path.ts'

type Context = { publicUrl: string }

const maxAgeSeconds = 90 * 24 * 3600

/** Browsers accept a `__Host-` cookie only over https and for a whole host. With a base path, another Bellhop may share the host. */
function cookieName({ publicUrl }: Context): string {
  if (!isSecure(publicUrl)) return 'bellhop'
  return basePathOf(publicUrl) === '' ? '__Host-bellhop' : '__Secure-bellhop'
}

export function writeSessionCookie(ctx: Context, token: string): string {
  return cookie(ctx, token, maxAgeSeconds)
}

export function clearSessionCookie(ctx: Context): string {
  return cookie(ctx, '', 0)
}

export function readSessionCookie(ctx: Context, request: Request): string | null {
  const name = cookieName(ctx)
  return parse(request.headers.get('cookie') ?? '', name)[name] || null
}

function cookie(ctx: Context, value: string, maxAge: number): string {
  const path = basePathOf(ctx.publicUrl) || '/'
  const secure = isSecure(ctx.publicUrl)
  return serialize(cookieName(ctx), value, { path, maxAge, httpOnly: true, sameSite: 'Lax', secure })
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}
