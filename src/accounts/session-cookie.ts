import { basePathOf } from '../platform/http/base-path.ts'

type Context = { publicUrl: string }

const maxAgeSeconds = 90 * 24 * 3600

/** Browsers take a `__Host-` cookie only over https and for a whole host; below a path there may be another Bellhop beside. */
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
  for (const pair of request.headers.get('cookie')?.split(';') ?? []) {
    const [key, value] = pair.trim().split('=')
    if (key === name && value) return value
  }
  return null
}

function cookie(ctx: Context, value: string, maxAge: number): string {
  const secure = isSecure(ctx.publicUrl) ? '; Secure' : ''
  return `${cookieName(ctx)}=${value}; Path=${basePathOf(ctx.publicUrl) || '/'}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:')
}
