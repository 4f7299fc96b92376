import { createLocalJWKSet, errors, jwtVerify } from 'jose'
import { z } from 'zod'
import { problem } from '../../../http/problems.ts'
import { parseJson } from '../../../platform/json/parse-json.ts'
import { agentMention } from '../../chat.ts'
import { readChoice } from '../../messages/read-choice.ts'
import { nameFiles } from '../../text/name-files.ts'
import type { Connection } from '../connection.ts'
import { findSigningKeys, keysMs } from '../find-signing-keys.ts'
import type { InboundEvent, InboundRequest, PlatformChannel, Received } from '../platform.ts'
import { PlatformError } from '../platform-error.ts'
import { callTeams } from './call-teams.ts'
import { hasThreads } from './teams-platform.ts'

const defaultOpenIdUrl = 'https://login.botframework.com/v1/.well-known/openidconfiguration'

const teamsChannel = 'msteams'

const named = z.looseObject({ id: z.string(), name: z.string().optional() })
const activityShape = z.looseObject({
  type: z.string(),
  id: z.string().optional(),
  /** Through which of the Azure bot's channels it came. */
  channelId: z.string().default(teamsChannel),
  serviceUrl: z.string().optional(),
  text: z.string().default(''),
  from: named.optional(),
  recipient: named.optional(),
  conversation: z
    .looseObject({
      id: z.string(),
      conversationType: z.string().optional(),
      tenantId: z.string().optional(),
    })
    .optional(),
  /** For an installation. */
  action: z.string().optional(),
  entities: z
    .array(
      z.looseObject({
        type: z.string().optional(),
        text: z.string().optional(),
        mentioned: named.optional(),
      }),
    )
    .default([])
    .catch([]),
  attachments: z
    .array(z.looseObject({ contentType: z.string(), name: z.string().nullish() }))
    .default([])
    .catch([]),
  channelData: z
    .looseObject({
      team: z.looseObject({ id: z.string().optional(), name: z.string().optional() }).optional(),
      channel: z.looseObject({ id: z.string().optional(), name: z.string().optional() }).optional(),
      tenant: z.looseObject({ id: z.string() }).optional(),
      eventType: z.string().optional(),
    })
    .optional()
    .catch(undefined),
  value: z
    .looseObject({ bellhop: z.string().optional(), approvalId: z.string().optional() })
    .optional()
    .catch(undefined),
})
type Activity = z.output<typeof activityShape>
const metadataShape = z.object({ issuer: z.string(), jwks_uri: z.url() })

/** Verified by the token that Microsoft signs for this app and this service address, valid for minutes. */
export async function readTeamsRequest(connection: Connection, request: InboundRequest): Promise<Received> {
  const serviceUrl = await verify(connection, request)
  const activity = activityShape.safeParse(parseJson(request.body)).data
  // The token is bound to one address; an activity that names another is not what was signed.
  if (!activity || (serviceUrl !== null && activity.serviceUrl !== serviceUrl)) return {}
  // Microsoft signs those of the bot's other channels too. In Web Chat, people choose their own ids.
  if (activity.channelId !== teamsChannel || !isOfTenant(connection, activity)) return {}
  if (activity.type === 'installationUpdate' || activity.type === 'conversationUpdate') {
    return { channels: await channelsOf(connection, activity) }
  }
  if (activity.type !== 'message') return {}
  return { events: readMessage(connection, activity, await channelName(connection, activity)) }
}

/** An app can also be installed in other organisations. Messages from there do not belong to this workspace. */
function isOfTenant({ settings }: Connection, { conversation, channelData }: Activity): boolean {
  const tenant = conversation?.tenantId ?? channelData?.tenant?.id
  const { tenantId = '' } = settings
  // A tenant may also be given by its domain.
  return !tenant || !tenantId.includes('-') || tenant.toLowerCase() === tenantId.toLowerCase()
}

async function verify(connection: Connection, { headers, now }: InboundRequest): Promise<string | null> {
  const token = headers.get('authorization')?.match(/^Bearer (.+)$/)?.[1] ?? ''
  const { appId } = connection.settings
  // Without an audience, any app's token would be accepted.
  if (!appId) throw problem('chat-signature-invalid', 'The workspace has no app id.')
  const { issuer, jwks_uri: keysUrl } = await findMetadata(connection)
  const keys = await findSigningKeys(connection, keysUrl)
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer,
      audience: appId,
      requiredClaims: ['exp'],
      clockTolerance: 300,
      currentDate: now,
    })
    return typeof payload.serviceurl === 'string' ? payload.serviceurl : null
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error
    throw problem('chat-signature-invalid', 'The request is not signed by Microsoft for this app.', {
      cause: error,
    })
  }
}

async function findMetadata(connection: Connection) {
  return connection.cache.getOrFetch('metadata', keysMs, async () => {
    const answer = await connection.fetch(connection.settings.openIdUrl ?? defaultOpenIdUrl)
    return metadataShape.parse(await answer.json())
  })
}

function readMessage({ settings }: Connection, activity: Activity, channel: string | null): InboundEvent[] {
  const { id, from, recipient, conversation, text, entities, attachments, value } = activity
  if (!id || !from || !conversation) return []
  const [address = '', root] = conversation.id.split(';messageid=')
  const kind: 'direct' | 'channel' = conversation.conversationType === 'personal' ? 'direct' : 'channel'
  const shared = {
    // Anybody can install a multi-tenant app in their own organisation.
    sender: { id: from.id, name: from.name ?? null, isForeign: settings.tenantId === undefined },
    channel: { externalId: address, name: channel, kind },
    thread: hasThreads(address) && root && root !== id ? root : null,
  }
  if (value?.bellhop) {
    const choice = readChoice(value.bellhop, value.approvalId)
    return choice ? [{ ...shared, kind: 'click', key: `click:${id}`, ...choice }] : []
  }
  const mentions = entities.filter(
    ({ type, mentioned }) => type === 'mention' && mentioned?.id === recipient?.id,
  )
  const said = mentions.reduce(
    (whole, { text: mark = '' }) => whole.replaceAll(mark || '\0', agentMention),
    text,
  )
  return [
    {
      ...shared,
      kind: 'message',
      key: `message:${address}:${id}`,
      externalId: id,
      text: nameFiles(
        said
          .replaceAll(/<at>([^<]*)<\/at>/g, '@$1')
          .replaceAll('&nbsp;', ' ')
          .trim(),
        // The message itself is attached again, as HTML.
        attachments.filter(({ contentType }) => contentType !== 'text/html').map(({ name }) => name),
      ),
      addressed: kind === 'direct' || mentions.length > 0,
    },
  ]
}

async function channelsOf(
  connection: Connection,
  { channelData, action }: Activity,
): Promise<{ externalId: string; name: string }[]> {
  const { team, channel, eventType = '' } = channelData ?? {}
  // Do not announce what was removed.
  if (action === 'remove' || /(deleted|removed|archived)$/i.test(eventType)) return []
  if (channel?.id && channel.name) return [{ externalId: channel.id, name: nameIn(team?.name, channel.name) }]
  if (!team?.id) return []
  const all = await listTeamChannels(connection, team.id)
  // A team's first channel has the id of the team.
  return all.length > 0 ? all : [{ externalId: team.id, name: nameIn(team.name, 'General') }]
}

async function channelName(connection: Connection, { channelData }: Activity): Promise<string | null> {
  const { team, channel } = channelData ?? {}
  if (channel?.name) return nameIn(team?.name, channel.name)
  if (!team?.id || !channel?.id) return null
  const all = await listTeamChannels(connection, team.id)
  return all.find(({ externalId }) => externalId === channel.id)?.name ?? null
}

const cacheMs = 10 * 60_000

const teamShape = z.looseObject({ name: z.string().optional().catch(undefined) })
const listShape = z.looseObject({
  conversations: z
    .array(z.looseObject({ id: z.string(), name: z.string().nullish() }))
    .default([])
    .catch([]),
})

/** The channels of a team that the app is in. Messages in a channel come without its name. */
async function listTeamChannels(connection: Connection, teamId: string): Promise<PlatformChannel[]> {
  try {
    return await connection.cache.getOrFetch(`channels ${teamId}`, cacheMs, async () => {
      const path = `v3/teams/${encodeURIComponent(teamId)}`
      const { name: team } = teamShape.parse(await callTeams(connection, 'GET', path))
      const { conversations } = listShape.parse(await callTeams(connection, 'GET', `${path}/conversations`))
      // The first channel of a team has no name in this list.
      return conversations.map(({ id, name }) => ({ externalId: id, name: nameIn(team, name ?? 'General') }))
    })
  } catch (error) {
    // Names are optional.
    if (error instanceof PlatformError) return []
    throw error
  }
}

function nameIn(team: string | undefined, channel: string): string {
  return team ? `${team} / ${channel}` : channel
}
