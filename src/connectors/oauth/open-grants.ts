import { setTimeout as pause } from 'node:timers/promises'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import type { Secret } from '../../platform/secret.ts'
import { systemActor } from '../../shared/actor.ts'
import type { Audit } from '../../shared/audit.ts'
import { publishChange } from '../../shared/changes.ts'
import type { ConnectorId } from '../../shared/ids.ts'
import {
  delayRenewal,
  endGrant,
  ensureGrant,
  findGrant,
  type GrantRow,
  grantPlace,
  recordWantedScopes,
  storeRenewed,
  takeLease,
} from './grant-store.ts'
import { OauthFailure } from './oauth-fetch.ts'
import { renewToken } from './renew-token.ts'

export type GrantContext = {
  db: Db
  vault: Vault
  egress: Egress
  audit: Audit
  faults?: (point: string) => void | Promise<void>
}

export type Token = { token: Secret; generation: number }
export type NoToken = { refused: string }

/** The tokens of connectors that use OAuth. */
export type Grants = {
  /** The current token of a connector, renewed if it is due. */
  token(id: ConnectorId): Promise<Token | NoToken>
  /** The server refused the token of this generation: the next one, or null if that is all there is. */
  renew(id: ConnectorId, usedGeneration: number): Promise<Token | null>
  /** The server demands further scopes, which only a person can grant. */
  lacks(id: ConnectorId, scopes: string): Promise<void>
}

/** How long one waits for a process that renews. */
const longestWaitMs = 15_000
const pollMs = 100
/** After a refusal that may pass. */
const pauseSeconds = 10
/** If the answer is lost so often, the refresh token may be used up. */
const mostUnsure = 2

/**
 * A refresh token that is used twice may end everything that was granted. So a lease lets one process renew a generation; no
 * transaction is open while it asks, and everybody else waits for the next generation.
 */
export function openGrants(ctx: GrantContext): Grants {
  return {
    async token(id) {
      const grant = await read(ctx, id)
      if ('refused' in grant) return grant
      return grant.isDue ? await renewOrWait(ctx, grant, grant.isExpired) : open(ctx, grant)
    },
    async renew(id, usedGeneration) {
      const grant = await read(ctx, id)
      if ('refused' in grant) return null
      const isPast = grant.generation > usedGeneration
      if (!isPast && (!grant.canRenew || grant.isNew)) return null
      const next = isPast ? open(ctx, grant) : await renewOrWait(ctx, grant, true)
      return 'refused' in next || next.generation <= usedGeneration ? null : next
    },
    lacks: (id, scopes) => recordWantedScopes(ctx.db, id, scopes),
  }
}

async function read({ db }: GrantContext, id: ConnectorId): Promise<GrantRow | NoToken> {
  let grant = await findGrant(db, id)
  if (!grant) {
    // Client credentials begin without anybody who signs in.
    await ensureGrant(db, id)
    grant = await findGrant(db, id)
  }
  if (!grant) return { refused: notConnected }
  return grant.state === 'reconnect' ? { refused: ended } : grant
}

export const notConnected =
  'Nobody has signed in for this connector yet. An admin must connect it: Connectors → Sign in.'
export const ended =
  'Access through this connector has ended (revoked or expired). An admin must reconnect it: Connectors → Reconnect.'
const cannotRenew = 'The access token could not be renewed now. Try again in a minute.'

function open({ vault }: GrantContext, { connectorId, accessToken, generation }: GrantRow): Token | NoToken {
  if (accessToken === null) return { refused: notConnected }
  const token = vault.openIfKeyIsKnown(accessToken, grantPlace(connectorId, 'access_token'))
  return token ? { token, generation } : { refused: lostKey }
}

export const lostKey =
  'What was granted to this connector cannot be decrypted, because its encryption key is gone. An admin must reconnect it.'

/** `mustChange`: the current token is of no use any more. */
async function renewOrWait(
  ctx: GrantContext,
  grant: GrantRow,
  mustChange: boolean,
): Promise<Token | NoToken> {
  const deadline = performance.now() + longestWaitMs
  for (let seen = grant; ; ) {
    const mine = await takeLease(ctx.db, seen)
    if (mine) {
      const failed = await renew(ctx, mine)
      if (failed) return mustChange || failed === ended ? { refused: failed } : open(ctx, mine)
    }
    const now = await findGrant(ctx.db, grant.connectorId)
    if (!now) return { refused: notConnected }
    if (now.state === 'reconnect') return { refused: ended }
    if (now.generation > grant.generation) return open(ctx, now)
    // Renewing failed a moment ago, or takes too long.
    if (!mustChange && now.lastError !== null) return open(ctx, now)
    if (mustChange && now.lastError !== null && now.isLeased) return { refused: cannotRenew }
    if (performance.now() > deadline) return mustChange ? { refused: cannotRenew } : open(ctx, now)
    seen = now
    await pause(pollMs)
  }
}

/** Returns why it failed; null if there is a new generation. */
async function renew(ctx: GrantContext, grant: GrantRow): Promise<string | null> {
  if (grant.unsure > mostUnsure) {
    await end(ctx, grant, 'The answers to the last renewals were lost, so the refresh token may be used up.')
    return ended
  }
  try {
    const renewed = await renewToken(ctx, grant)
    await ctx.faults?.('oauth.renewed')
    await storeRenewed(ctx.db, grant, renewed)
    await publishChange(ctx.db, 'connectors', grant.connectorId)
    return null
  } catch (error) {
    if (!(error instanceof OauthFailure)) throw error
    if (error.code !== null && final.has(error.code)) {
      await end(ctx, grant, error.message)
      return ended
    }
    await delayRenewal(ctx.db, grant, { error: error.message, pauseSeconds, isUnsure: error.isUnsure })
    return cannotRenew
  }
}

/** Codes after which asking again is of no use. */
const final = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
])

/** One notice: in the audit log, and as something to do on the home page. */
async function end(ctx: GrantContext, grant: GrantRow, why: string): Promise<void> {
  if (!(await endGrant(ctx.db, grant, why))) return
  await ctx.audit(ctx.db, {
    actor: systemActor,
    action: 'connector.access-ended',
    subject: grant.connectorId,
    detail: { because: why, account: grant.account },
  })
  await publishChange(ctx.db, 'connectors', grant.connectorId)
}
