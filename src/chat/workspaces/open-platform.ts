import { createHash } from 'node:crypto'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { Secret } from '../../platform/secret.ts'
import { type Connection, eventsUrlOf } from '../connection.ts'
import type { OutsidePlatform } from '../contract.ts'
import type { Memory } from '../memory.ts'
import type { InboundRequest, Platform, Received } from '../platform.ts'
import { platformFetch } from '../platform-fetch.ts'
import type { Converse } from '../standing/converse.ts'
import { isComplete } from './contract.ts'
import type { WorkspaceRow } from './store.ts'

export type PlatformContext = {
  vault: Vault
  egress: Pick<Egress, 'request'>
  chatMemory: Memory
  publicUrl: string
}

type Credentials = Readonly<Record<string, Secret>>
type Reachable = Pick<WorkspaceRow, 'id' | 'platform' | 'settings'> & { credentials: Credentials }

type Code = {
  open(): Promise<(connection: Connection) => Platform>
  /** Throws a Problem if the request is not from the platform. */
  read(): Promise<(connection: Connection, request: InboundRequest) => Promise<Received>>
  /** For platforms with a standing connection. */
  converse?(): Promise<Converse>
}

/** A platform's code is loaded when its first workspace is used. */
const codes: Record<OutsidePlatform, Code> = {
  slack: {
    open: async () => (await import('../slack/slack-platform.ts')).openSlack,
    read: async () => (await import('../slack/read-slack-request.ts')).readSlackRequest,
  },
  telegram: {
    open: async () => (await import('../telegram/telegram-platform.ts')).openTelegram,
    read: async () => (await import('../telegram/read-telegram-request.ts')).readTelegramRequest,
  },
  teams: {
    open: async () => (await import('../teams/teams-platform.ts')).openTeams,
    read: async () => (await import('../teams/read-teams-request.ts')).readTeamsRequest,
  },
  discord: {
    open: async () => (await import('../discord/discord-platform.ts')).openDiscord,
    read: async () => (await import('../discord/read-discord-request.ts')).readDiscordRequest,
    converse: async () => (await import('../discord/converse-with-discord.ts')).converseWithDiscord,
  },
  mattermost: {
    open: async () => (await import('../mattermost/mattermost-platform.ts')).openMattermost,
    read: async () => (await import('../mattermost/read-mattermost-request.ts')).readMattermostRequest,
    converse: async () => (await import('../mattermost/converse-with-mattermost.ts')).converseWithMattermost,
  },
  'google-chat': {
    open: async () => (await import('../google-chat/google-chat-platform.ts')).openGoogleChat,
    read: async () => (await import('../google-chat/read-google-chat-request.ts')).readGoogleChatRequest,
  },
}

export async function openPlatform(ctx: PlatformContext, workspace: Reachable): Promise<Platform> {
  const open = await codeOf(workspace).open()
  return open(connect(ctx, workspace))
}

export async function openConversation(
  ctx: PlatformContext,
  workspace: Reachable,
): Promise<{ connection: Connection; converse: Converse }> {
  const converse = await codeOf(workspace).converse?.()
  if (!converse) throw new Error(`${workspace.platform} has no standing connection.`)
  return { connection: connect(ctx, workspace), converse }
}

export async function readPlatformRequest(
  ctx: PlatformContext,
  workspace: Reachable,
  request: InboundRequest,
): Promise<Received> {
  const read = await codeOf(workspace).read()
  return read(connect(ctx, workspace), request)
}

function codeOf({ platform }: Reachable): Code {
  if (platform === 'built-in') throw new Error('The built-in workspace is not a platform.')
  return codes[platform]
}

/** With its decrypted secrets, if there are any. */
export function openWorkspace<
  Row extends Pick<WorkspaceRow, 'id' | 'platform' | 'settings' | 'sealedCredentials'>,
>(
  { vault }: Pick<PlatformContext, 'vault'>,
  workspace: Row,
): Row & { credentials: Record<string, Secret>; isWhole: boolean } {
  const { id, platform, settings, sealedCredentials: sealed } = workspace
  // Written by sealCredentials below.
  const plain = sealed
    ? (JSON.parse(vault.open(sealed, credentialsPlace(id)).reveal()) as Record<string, string>)
    : {}
  const credentials = Object.fromEntries(
    Object.entries(plain).map(([name, value]) => [name, new Secret(value)]),
  )
  const isWhole = platform === 'built-in' || isComplete(platform, { credentials, settings })
  return { ...workspace, credentials, isWhole }
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

function connect(ctx: PlatformContext, { id, platform, settings, credentials }: Reachable): Connection {
  // What was cached with other credentials, or for another address, no longer counts.
  const of = createHash('sha256')
    .update(JSON.stringify([id, settings]) + reveal(credentials))
    .digest('base64url')
  return {
    credentials,
    settings,
    fetch: platformFetch(ctx, `workspace ${id}`),
    memory: { remember: (key, goodForMs, get) => ctx.chatMemory.remember(`${of} ${key}`, goodForMs, get) },
    publicUrl: ctx.publicUrl,
    eventsUrl: eventsUrlOf(ctx, { platform, id }),
  }
}
