import { createHash } from 'node:crypto'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { Secret } from '../../platform/secret.ts'
import type { Cache } from '../cache.ts'
import type { ExternalPlatform } from '../contract.ts'
import type { RunSession } from '../delivery/sockets/run-session.ts'
import { type Connection, eventsUrlOf } from '../platforms/connection.ts'
import type { InboundRequest, Platform, Received } from '../platforms/platform.ts'
import { platformFetch } from '../platforms/platform-fetch.ts'
import { isComplete } from './contract.ts'
import type { WorkspaceRow } from './store.ts'

export type PlatformContext = {
  vault: Vault
  egress: Pick<Egress, 'request'>
  chatCache: Cache
  publicUrl: string
}

type Credentials = Readonly<Record<string, Secret>>
type Reachable = Pick<WorkspaceRow, 'id' | 'platform' | 'settings'> & {
  credentials: Credentials
  areLost?: boolean
}

type PlatformModule = {
  open(): Promise<(connection: Connection) => Platform>
  /** Throws a Problem if the request is not from the platform. */
  read(): Promise<(connection: Connection, request: InboundRequest) => Promise<Received>>
  /** For platforms with a socket connection. */
  runSession?(): Promise<RunSession>
}

/** A platform's code is loaded when its first workspace is used. */
const platformModules: Record<ExternalPlatform, PlatformModule> = {
  slack: {
    open: async () => (await import('../platforms/slack/slack-platform.ts')).openSlack,
    read: async () => (await import('../platforms/slack/read-slack-request.ts')).readSlackRequest,
    runSession: async () => (await import('../platforms/slack/run-slack-session.ts')).runSlackSession,
  },
  telegram: {
    open: async () => (await import('../platforms/telegram/telegram-platform.ts')).openTelegram,
    read: async () => (await import('../platforms/telegram/read-telegram-request.ts')).readTelegramRequest,
  },
  teams: {
    open: async () => (await import('../platforms/teams/teams-platform.ts')).openTeams,
    read: async () => (await import('../platforms/teams/read-teams-request.ts')).readTeamsRequest,
  },
  discord: {
    open: async () => (await import('../platforms/discord/discord-platform.ts')).openDiscord,
    read: async () => (await import('../platforms/discord/read-discord-request.ts')).readDiscordRequest,
    runSession: async () => (await import('../platforms/discord/run-discord-session.ts')).runDiscordSession,
  },
  mattermost: {
    open: async () => (await import('../platforms/mattermost/mattermost-platform.ts')).openMattermost,
    read: async () =>
      (await import('../platforms/mattermost/read-mattermost-request.ts')).readMattermostRequest,
    runSession: async () =>
      (await import('../platforms/mattermost/run-mattermost-session.ts')).runMattermostSession,
  },
  'google-chat': {
    open: async () => (await import('../platforms/google-chat/google-chat-platform.ts')).openGoogleChat,
    read: async () =>
      (await import('../platforms/google-chat/read-google-chat-request.ts')).readGoogleChatRequest,
  },
}

export async function openPlatform(ctx: PlatformContext, workspace: Reachable): Promise<Platform> {
  const open = await moduleOf(workspace).open()
  return open(connect(ctx, workspace))
}

/** Far longer than a conversation pauses; what nobody uses any more is forgotten. */
const keptMs = 10 * 60_000

/** The platform of a stored workspace: its credentials are decrypted once, until they or its settings change. */
export function openStoredPlatform(ctx: PlatformContext, workspace: WorkspaceRow): Promise<Platform> {
  const { id, settings, sealedCredentials } = workspace
  // The same credentials sealed again are another text, so every change has another key.
  const key = JSON.stringify(['platform', id, settings, sealedCredentials, ctx.publicUrl])
  return ctx.chatCache.getOrFetch(key, keptMs, () => openPlatform(ctx, openWorkspace(ctx, workspace)))
}

export async function loadSession(
  ctx: PlatformContext,
  workspace: Reachable,
): Promise<{ connection: Connection; runSession: RunSession }> {
  const runSession = await moduleOf(workspace).runSession?.()
  if (!runSession) throw new Error(`${workspace.platform} has no socket connection.`)
  return { connection: connect(ctx, workspace), runSession }
}

export async function readPlatformRequest(
  ctx: PlatformContext,
  workspace: Reachable,
  request: InboundRequest,
): Promise<Received> {
  const read = await moduleOf(workspace).read()
  return read(connect(ctx, workspace), request)
}

function moduleOf({ platform }: Reachable): PlatformModule {
  if (platform === 'built-in') throw new Error('The built-in workspace is not a platform.')
  return platformModules[platform]
}

/** With its decrypted secrets. If there are none, or they cannot be opened any more, it is a draft. */
export function openWorkspace<
  Row extends Pick<WorkspaceRow, 'id' | 'platform' | 'settings' | 'sealedCredentials'>,
>(
  { vault }: Pick<PlatformContext, 'vault'>,
  workspace: Row,
): Row & { credentials: Record<string, Secret>; isWhole: boolean; areLost: boolean } {
  const { id, platform, settings, sealedCredentials: sealed } = workspace
  const opened = sealed && vault.openIfKeyIsKnown(sealed, credentialsPlace(id))
  // Written by sealCredentials below.
  const plain = opened ? (JSON.parse(opened.reveal()) as Record<string, string>) : {}
  const credentials = Object.fromEntries(
    Object.entries(plain).map(([name, value]) => [name, new Secret(value)]),
  )
  const isWhole = platform === 'built-in' || isComplete(platform, { credentials, settings })
  return { ...workspace, credentials, isWhole, areLost: sealed !== null && opened === null }
}

export function sealCredentials(
  { vault }: Pick<PlatformContext, 'vault'>,
  id: string,
  credentials: Credentials,
): string {
  return vault.seal(new Secret(reveal(credentials)), credentialsPlace(id))
}

const credentialsPlace = (row: string) => ({ table: 'workspaces', row, column: 'sealed_credentials' })

function reveal(credentials: Credentials): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(credentials).map(([name, secret]) => [name, secret.reveal()])),
  )
}

/**
 * Differs for other credentials or another address: what was cached or opened with these no longer counts then. The same whichever
 * key seals the credentials. It may be stored, since tokens are too random to be guessed from it.
 */
export function fingerprintOf({
  id,
  settings,
  credentials,
}: Pick<Reachable, 'id' | 'settings' | 'credentials'>): string {
  return createHash('sha256')
    .update(JSON.stringify([id, settings]) + reveal(credentials))
    .digest('base64url')
}

function connect(
  ctx: PlatformContext,
  { id, platform, settings, credentials, areLost = false }: Reachable,
): Connection {
  const of = fingerprintOf({ id, settings, credentials })
  return {
    credentials,
    areLost,
    settings,
    fetch: platformFetch(ctx, `workspace ${id}`),
    cache: { getOrFetch: (key, ttlMs, get) => ctx.chatCache.getOrFetch(`${of} ${key}`, ttlMs, get) },
    publicUrl: ctx.publicUrl,
    eventsUrl: eventsUrlOf(ctx, { platform, id }),
  }
}
