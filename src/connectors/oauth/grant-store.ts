import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import type { ConnectorId } from '../../shared/ids.ts'
import { incrementRevision } from '../manage/store.ts'

export type Registration = 'given' | 'cimd' | 'dcr'

/** The authorization server as it was when somebody signed in. Tokens go nowhere else. */
export type GrantServer = {
  issuer: string
  tokenUrl: string
  revocationUrl: string | null
  resource: string | null
  /** How it accepts the secret of a client; empty if it does not say. */
  authMethods: string[]
}

export type GrantRow = {
  connectorId: ConnectorId
  state: 'none' | 'connected' | 'reconnect'
  /** JSON text of a `GrantServer`. */
  server: string | null
  clientId: string | null
  /** Sealed, as the two tokens. */
  clientSecret: string | null
  registration: Registration | null
  accessToken: string | null
  refreshToken: string | null
  scopes: string
  /** What the server demanded beyond them. */
  wantedScopes: string
  account: string | null
  issuedAt: Date | null
  expiresAt: Date | null
  generation: number
  leaseUntil: Date | null
  unsure: number
  connectedBy: string | null
  connectedAt: Date | null
  lastError: string | null
  /** By the clock of the database: it should be renewed, it has ended, somebody renews it or waits after a failure. */
  isDue: boolean
  isExpired: boolean
  isLeased: boolean
  /** It can be renewed without a person. */
  canRenew: boolean
  /** A moment ago: if it is refused, its age is not the reason. */
  isNew: boolean
}

/** At 80 % of its life, so that it does not end in the middle of a call. */
const columns = sql`g.*,
  g.refresh_token is not null or c.auth_type = 'oauth_client' as can_renew,
  g.access_token is null or coalesce(g.expires_at <= now(), false) or ((g.refresh_token is not null or c.auth_type = 'oauth_client')
    and coalesce(g.issued_at + 0.8 * (g.expires_at - g.issued_at) <= now(), false)) as is_due,
  g.access_token is null or coalesce(g.expires_at <= now(), false) as is_expired,
  coalesce(g.lease_until > now(), false) as is_leased,
  coalesce(g.issued_at > now() - interval '10 seconds', false) as is_new`

export const grantPlace = (row: string, column: 'client_secret' | 'access_token' | 'refresh_token') => ({
  table: 'connector_grants',
  row,
  column,
})

export async function listGrants(db: Db, ids: readonly ConnectorId[]): Promise<GrantRow[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<GrantRow>`
    select ${columns} from connector_grants g join connectors c on c.id = g.connector_id
    where g.connector_id = any(${ids})`.execute(db)
  return rows
}

export async function findGrant(db: Db, id: ConnectorId): Promise<GrantRow | null> {
  return (await listGrants(db, [id]))[0] ?? null
}

/** Of every connector that uses OAuth; null if nobody has signed in. */
export async function listGrantStates(
  db: Db,
): Promise<{ name: string; state: GrantRow['state'] | null; account: string | null }[]> {
  const { rows } = await sql<{ name: string; state: GrantRow['state'] | null; account: string | null }>`
    select c.name, g.state, g.account from connectors c left join connector_grants g on g.connector_id = c.id
    where c.auth_type in ('oauth', 'oauth_client') order by c.name`.execute(db)
  return rows
}

type Granted = Pick<
  GrantRow,
  | 'server'
  | 'clientId'
  | 'clientSecret'
  | 'registration'
  | 'accessToken'
  | 'refreshToken'
  | 'scopes'
  | 'account'
  | 'connectedBy'
> & { lifetimeSeconds: number | null }

/** A person has signed in. Also a new version of the connector, so that nothing that was approved before is sent as somebody else. */
export async function storeGrant(tx: Db, id: ConnectorId, granted: Granted): Promise<void> {
  await sql`delete from connector_grants where connector_id = ${id}`.execute(tx)
  await sql`
    insert into connector_grants (connector_id, state, server, client_id, client_secret, registration, access_token,
      refresh_token, scopes, account, issued_at, expires_at, generation, connected_by, connected_at)
    values (${id}, 'connected', ${granted.server}, ${granted.clientId}, ${granted.clientSecret}, ${granted.registration},
      ${granted.accessToken}, ${granted.refreshToken}, ${granted.scopes}, ${granted.account}, now(),
      now() + make_interval(secs => ${granted.lifetimeSeconds}), 1, ${granted.connectedBy}, now())`.execute(
    tx,
  )
  await incrementConnectorVersion(tx, id)
}

export async function deleteGrant(tx: Db, id: ConnectorId): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from connector_grants where connector_id = ${id}`.execute(tx)
  return (numAffectedRows ?? 0n) > 0n
}

export async function incrementConnectorVersion(tx: Db, id: ConnectorId): Promise<void> {
  await sql`update connectors set version = version + 1, updated_at = now() where id = ${id}`.execute(tx)
  await incrementRevision(tx)
}

/** Client credentials have nobody who signs in: their first token is asked for like any other. */
export async function ensureGrant(db: Db, id: ConnectorId): Promise<void> {
  await sql`
    insert into connector_grants (connector_id, state)
    select id, 'none' from connectors where id = ${id} and auth_type = 'oauth_client'
    on conflict do nothing`.execute(db)
}

/** Lets one process renew this generation. Null if another one does, or if the generation is past. */
export async function takeLease(db: Db, { connectorId, generation }: GrantRow): Promise<GrantRow | null> {
  const { rows } = await sql<GrantRow>`
    update connector_grants g set lease_until = now() + interval '30 seconds', unsure = unsure + 1, last_error = null
    from connectors c
    where c.id = g.connector_id and g.connector_id = ${connectorId} and g.generation = ${generation}
      and g.state <> 'reconnect' and (g.lease_until is null or g.lease_until < now())
    returning ${columns}`.execute(db)
  return rows[0] ?? null
}

export type Renewed = Pick<
  GrantRow,
  'server' | 'clientId' | 'accessToken' | 'refreshToken' | 'scopes' | 'registration'
> & {
  lifetimeSeconds: number | null
}

/** The next generation, unless somebody has signed in anew meanwhile. */
export async function storeRenewed(
  db: Db,
  { connectorId, generation }: GrantRow,
  next: Renewed,
): Promise<void> {
  await sql`
    update connector_grants set state = 'connected', server = ${next.server}, client_id = ${next.clientId},
      registration = ${next.registration}, access_token = ${next.accessToken}, refresh_token = ${next.refreshToken},
      scopes = ${next.scopes}, issued_at = now(), expires_at = now() + make_interval(secs => ${next.lifetimeSeconds}),
      generation = generation + 1, lease_until = null, unsure = 0, last_error = null,
      connected_at = coalesce(connected_at, now())
    where connector_id = ${connectorId} and generation = ${generation}`.execute(db)
}

/** It could not be renewed now. Others try again after the pause. */
export async function delayRenewal(
  db: Db,
  { connectorId, generation }: GrantRow,
  { error, pauseSeconds, isUnsure }: { error: string; pauseSeconds: number; isUnsure: boolean },
): Promise<void> {
  await sql`
    update connector_grants set lease_until = now() + make_interval(secs => ${pauseSeconds}), last_error = ${shortened(error)},
      unsure = case when ${isUnsure} then unsure else 0 end
    where connector_id = ${connectorId} and generation = ${generation}`.execute(db)
}

/** True for the one who ends it: there is one notice. */
export async function endGrant(
  db: Db,
  { connectorId, generation }: GrantRow,
  error: string,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update connector_grants set state = 'reconnect', access_token = null, refresh_token = null, lease_until = null,
      last_error = ${shortened(error)}
    where connector_id = ${connectorId} and generation = ${generation} and state <> 'reconnect'`.execute(db)
  // Tools that were read before must know: a call of one is refused before anybody is asked to approve it.
  await incrementRevision(db)
  return (numAffectedRows ?? 0n) > 0n
}

/** For the next sign-in. */
export async function recordWantedScopes(db: Db, id: ConnectorId, scopes: string): Promise<void> {
  await sql`update connector_grants set wanted_scopes = ${scopes} where connector_id = ${id}`.execute(db)
}

/** Nobody reads more of a server's message. */
function shortened(text: string): string {
  return replaceNul(text).slice(0, 1000)
}

// ── sign-ins that have begun ──

type AttemptRow = { connectorId: ConnectorId; session: string; sealed: string }

export async function insertAttempt(db: Db, id: string, attempt: AttemptRow): Promise<void> {
  await sql`delete from oauth_attempts where created_at < now() - interval '10 minutes'`.execute(db)
  await sql`
    insert into oauth_attempts (id, connector_id, session, sealed)
    values (${id}, ${attempt.connectorId}, ${attempt.session}, ${attempt.sealed})`.execute(db)
}

/** Each can be taken once, within ten minutes. */
export async function takeAttempt(db: Db, id: string): Promise<AttemptRow | null> {
  const { rows } = await sql<AttemptRow & { isFresh: boolean }>`
    delete from oauth_attempts where id = ${id}
    returning connector_id, session, sealed, created_at > now() - interval '10 minutes' as is_fresh`.execute(
    db,
  )
  return rows[0]?.isFresh ? rows[0] : null
}
