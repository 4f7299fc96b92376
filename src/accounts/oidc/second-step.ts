import { problem } from '../../http/problems.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { Secret } from '../../platform/secret.ts'
import { readCookie, writeCookie } from '../signing-in/own-cookie.ts'
import { refusedSignIn } from '../signing-in/sign-in.ts'
import { type NewSession, startSession } from '../signing-in/start-session.ts'
import { throttleGuesses } from '../signing-in/throttle-guesses.ts'
import type { Visit } from '../store/sessions.ts'
import { findUser, type UserRow } from '../store/users.ts'
import { acceptCode } from '../totp/accept-code.ts'

type Context = { db: Db; vault: Vault; publicUrl: string; now: () => Date }

const name = 'bellhop-oidc-code'
const place = { table: 'oidc', row: 'second-step', column: 'cookie' }
const lifeSeconds = 600

/** The provider has confirmed who this is; only the code is missing. Kept sealed in a cookie, like the attempt before it. */
export function sealSecondStep(ctx: Context, { id }: UserRow): string {
  const until = ctx.now().getTime() + lifeSeconds * 1000
  return writeCookie(ctx, name, ctx.vault.seal(new Secret(JSON.stringify({ id, until })), place), lifeSeconds)
}

export function clearSecondStep(ctx: Context): string {
  return writeCookie(ctx, name, '', 0)
}

/** The person's own second factor, after the provider. */
export async function finishSecondStep(
  ctx: Context,
  request: Request,
  code: string,
  visit: Visit,
): Promise<NewSession> {
  const id = openSecondStep(ctx, request)
  const user = id === null ? null : await findUser(ctx.db, id)
  if (!user || user.disabledAt)
    throw problem('sign-in-failed', 'That took too long. Sign in with the provider again.')
  // Counted apart from passwords: strangers who guess those must not keep the person out here.
  const guess = await throttleGuesses(ctx.db, `${user.id} after the provider`, visit.source)
  if (user.totpConfirmedAt && !(await acceptCode(ctx, user, code)))
    throw await refusedSignIn(ctx.db, user, visit, 'code')
  await guess.forgive()
  return startSession(ctx.db, user, visit)
}

function openSecondStep(ctx: Context, request: Request): UserRow['id'] | null {
  const sealed = readCookie(ctx, name, request)
  if (!sealed) return null
  try {
    // Only sealSecondStep can have produced what opens at this place.
    const { id, until } = JSON.parse(ctx.vault.open(sealed, place).reveal()) as {
      id: UserRow['id']
      until: number
    }
    return until > ctx.now().getTime() ? id : null
  } catch {
    return null
  }
}
