import { readCookie, writeCookie } from './own-cookie.ts'

type Context = { publicUrl: string }

const name = 'bellhop'
const maxAgeSeconds = 90 * 24 * 3600

export function writeSessionCookie(ctx: Context, token: string): string {
  return writeCookie(ctx, name, token, maxAgeSeconds)
}

export function clearSessionCookie(ctx: Context): string {
  return writeCookie(ctx, name, '', 0)
}

export function readSessionCookie(ctx: Context, request: Request): string | null {
  return readCookie(ctx, name, request)
}
