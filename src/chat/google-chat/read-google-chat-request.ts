import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import { z } from 'zod'
import { type ApprovalId, idPattern } from '../../ids.ts'
import { parseJson } from '../../platform/json/parse-json.ts'
import { problem } from '../../problems.ts'
import { agentMention } from '../chat.ts'
import type { Connection } from '../connection.ts'
import type { InboundEvent, InboundRequest, Received } from '../platform.ts'
import { rootOfThread } from './google-chat-platform.ts'

const issuer = 'chat@system.gserviceaccount.com'
const defaultKeysUrl = `https://www.googleapis.com/service_accounts/v1/jwk/${issuer}`
const keysMs = 60 * 60_000

const person = z.looseObject({
  name: z.string(),
  displayName: z.string().optional(),
  type: z.string().optional(),
})
const eventShape = z.looseObject({
  type: z.string(),
  eventTime: z.string().default(''),
  user: person.optional(),
  space: z.looseObject({
    name: z.string(),
    displayName: z.string().optional(),
    type: z.string().optional(),
    spaceType: z.string().optional(),
  }),
  message: z
    .looseObject({
      name: z.string(),
      text: z.string().default(''),
      argumentText: z.string().optional(),
      thread: z.looseObject({ name: z.string() }).optional(),
    })
    .optional(),
  action: z
    .looseObject({
      actionMethodName: z.string(),
      parameters: z.array(z.looseObject({ key: z.string(), value: z.string() })).default([]),
    })
    .optional(),
})
type ChatEvent = z.output<typeof eventShape>
const keysShape = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

const nothing: Received = { answer: { status: 200, body: {} }, events: [] }

/** Verified by the token that Google signs for this project, good for minutes. */
export async function readGoogleChatRequest(
  connection: Connection,
  request: InboundRequest,
): Promise<Received> {
  await verify(connection, request)
  const event = eventShape.safeParse(parseJson(request.body)).data
  if (!event) return nothing
  if (event.type === 'ADDED_TO_SPACE' && event.space.displayName) {
    return { ...nothing, channels: [{ externalId: event.space.name, name: event.space.displayName }] }
  }
  if (event.type === 'MESSAGE') return { ...nothing, events: readMessage(event) }
  if (event.type === 'CARD_CLICKED') return { ...nothing, events: readClick(event) }
  return nothing
}

async function verify(connection: Connection, { headers, now }: InboundRequest): Promise<void> {
  const { projectNumber, openIdUrl: keysUrl = defaultKeysUrl } = connection.settings
  // Without an audience any project's token would do.
  if (!projectNumber) throw problem('chat-signature-invalid', 'The workspace has no project number.')
  // jose checks each key when it is used.
  const keys = await connection.memory.remember(
    `google keys ${keysUrl}`,
    keysMs,
    async () => keysShape.parse(await (await connection.fetch(keysUrl)).json()) as JSONWebKeySet,
  )
  const token = headers.get('authorization')?.match(/^Bearer (.+)$/)?.[1] ?? ''
  try {
    await jwtVerify(token, createLocalJWKSet(keys), {
      issuer,
      audience: projectNumber,
      requiredClaims: ['exp'],
      clockTolerance: 300,
      currentDate: now,
    })
  } catch (error) {
    if (!(error instanceof errors.JOSEError)) throw error
    throw problem('chat-signature-invalid', 'The request is not signed by Google for this project.', {
      cause: error,
    })
  }
}

/** Google sends only what is meant for us: direct messages and mentions. */
function readMessage({ message, user, space }: ChatEvent): InboundEvent[] {
  if (!message || !user || user.type === 'BOT') return []
  const channel = channelOf(space)
  const root = message.thread ? rootOfThread(message.thread.name) : null
  const said = (message.argumentText ?? message.text).trim()
  return [
    {
      kind: 'message',
      key: `message:${message.name}`,
      externalId: message.name,
      sender: { id: user.name, name: user.displayName ?? null },
      channel,
      thread: root === message.name ? null : root,
      text: channel.kind === 'direct' ? said : `${agentMention} ${said}`,
      addressed: true,
    },
  ]
}

function readClick({ message, user, space, action, eventTime }: ChatEvent): InboundEvent[] {
  const decision = action?.actionMethodName
  const approvalId = action?.parameters.find(({ key }) => key === 'approvalId')?.value ?? ''
  if (!message || !user || (decision !== 'approve' && decision !== 'deny')) return []
  if (!idPattern('approval').test(approvalId)) return []
  return [
    {
      kind: 'click',
      key: `click:${message.name}:${user.name}:${eventTime}`,
      // Just checked.
      approvalId: approvalId as ApprovalId,
      decision,
      sender: { id: user.name, name: user.displayName ?? null },
      channel: channelOf(space),
      thread: null,
    },
  ]
}

function channelOf({ name, displayName, type, spaceType }: ChatEvent['space']) {
  const isDirect = type === 'DM' || spaceType === 'DIRECT_MESSAGE'
  const kind: 'direct' | 'channel' = isDirect ? 'direct' : 'channel'
  return { externalId: name, name: displayName || null, kind }
}
