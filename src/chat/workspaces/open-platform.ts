import type { Vault } from '../../platform/crypto/vault.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { Secret } from '../../platform/secret.ts'
import { type Connection, eventsUrlOf } from '../connection.ts'
import type { Memory } from '../memory.ts'
import type { InboundRequest, Platform, Received } from '../platform.ts'
import { platformFetch } from '../platform-fetch.ts'
import type { Converse } from '../standing/converse.ts'
import type { WorkspaceRow } from './store.ts'

type Context = {
  vault: Vault
  egress: Pick<Egress, 'request'>
  chatMemory: Memory
  publicUrl: string
}

const credentialsPlace = (row: string) => ({ table: 'workspaces', row, column: 'sealed_credentials' })

type Reachable = Pick<WorkspaceRow, 'id' | 'platform' | 'settings'> & {
  credentials: Readonly<Record<string, Secret>>
}

/** Each platform's code is loaded when the first workspace of it is used. */
export async function openPlatform(ctx: Context, workspace: Reachable): Promise<Platform> {
  const connection = connect(ctx, workspace)
  switch (workspace.platform) {
    case 'slack':
      return (await import('../slack/slack-platform.ts')).openSlack(connection)
    case 'telegram':
      return (await import('../telegram/telegram-platform.ts')).openTelegram(connection)
    case 'teams':
      return (await import('../teams/teams-platform.ts')).openTeams(connection)
    case 'discord':
      return (await import('../discord/discord-platform.ts')).openDiscord(connection)
    case 'mattermost':
      return (await import('../mattermost/mattermost-platform.ts')).openMattermost(connection)
    case 'google-chat':
      return (await import('../google-chat/google-chat-platform.ts')).openGoogleChat(connection)
    default:
      throw new Error(`There is no way out to ${workspace.platform}.`)
  }
}

/** How we talk over a standing connection, on platforms that have one. */
export async function openConversation(
  ctx: Context,
  workspace: Reachable,
): Promise<{ connection: Connection; converse: Converse }> {
  const connection = connect(ctx, workspace)
  switch (workspace.platform) {
    case 'discord': {
      const { converseWithDiscord } = await import('../discord/converse-with-discord.ts')
      return { connection, converse: converseWithDiscord }
    }
    case 'mattermost': {
      const { converseWithMattermost } = await import('../mattermost/converse-with-mattermost.ts')
      return { connection, converse: converseWithMattermost }
    }
    default:
      throw new Error(`${workspace.platform} has no standing connection.`)
  }
}

/** Throws a Problem when the platform did not send the request. */
export async function readPlatformRequest(
  ctx: Context,
  workspace: Reachable,
  request: InboundRequest,
): Promise<Received> {
  const connection = connect(ctx, workspace)
  switch (workspace.platform) {
    case 'slack':
      return (await import('../slack/read-slack-request.ts')).readSlackRequest(connection, request)
    case 'telegram':
      return (await import('../telegram/read-telegram-request.ts')).readTelegramRequest(connection, request)
    case 'teams':
      return (await import('../teams/read-teams-request.ts')).readTeamsRequest(connection, request)
    case 'discord':
      return (await import('../discord/read-discord-request.ts')).readDiscordRequest(connection, request)
    case 'mattermost': {
      const { readMattermostRequest } = await import('../mattermost/read-mattermost-request.ts')
      return readMattermostRequest(connection, request)
    }
    case 'google-chat': {
      const { readGoogleChatRequest } = await import('../google-chat/read-google-chat-request.ts')
      return readGoogleChatRequest(connection, request)
    }
    default:
      throw new Error(`${workspace.platform} sends no requests.`)
  }
}

export function openCredentials(
  { vault }: Pick<Context, 'vault'>,
  { id, sealedCredentials }: Pick<WorkspaceRow, 'id' | 'sealedCredentials'>,
): Record<string, Secret> {
  if (sealedCredentials === null) return {}
  // Written by sealCredentials below.
  const opened = JSON.parse(vault.open(sealedCredentials, credentialsPlace(id)).reveal()) as Record<
    string,
    string
  >
  return Object.fromEntries(Object.entries(opened).map(([name, value]) => [name, new Secret(value)]))
}

export function sealCredentials(
  { vault }: Pick<Context, 'vault'>,
  id: string,
  credentials: Readonly<Record<string, Secret>>,
): string {
  const plain = Object.fromEntries(
    Object.entries(credentials).map(([name, secret]) => [name, secret.reveal()]),
  )
  return vault.seal(new Secret(JSON.stringify(plain)), credentialsPlace(id))
}

function connect(ctx: Context, { id, platform, settings, credentials }: Reachable): Connection {
  return {
    credentials,
    settings,
    fetch: platformFetch(ctx, `workspace ${id}`),
    memory: ctx.chatMemory,
    publicUrl: ctx.publicUrl,
    eventsUrl: eventsUrlOf(ctx, { platform, id }),
  }
}
