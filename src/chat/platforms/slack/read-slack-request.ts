import { SlackWebhookError, verifySlackSignature } from '@chat-adapter/slack/webhook'
import { z } from 'zod'
import { problem } from '../../../http/problems.ts'
import { readForm } from '../../../platform/http-server/read-form.ts'
import { parseJson } from '../../../platform/json/parse-json.ts'
import { type Connection, credential } from '../connection.ts'
import type { InboundRequest, Received } from '../platform.ts'
import { readSlackCommand } from './read-slack-command.ts'
import { readSlackEvent, readSlackInteraction } from './read-slack-event.ts'

const challengeShape = z.looseObject({ type: z.literal('url_verification'), challenge: z.string() })
const formType = 'application/x-www-form-urlencoded'

/** Reads Slack's requests: verified over the raw bytes, at most five minutes old. */
export async function readSlackRequest(connection: Connection, request: InboundRequest): Promise<Received> {
  const body = request.body.toString('utf8')
  try {
    await verifySlackSignature(body, request.headers, {
      signingSecret: credential(connection, 'signingSecret'),
      now: () => request.now.getTime(),
    })
    if (isForm(request)) return readFields(connection, request.body)
    const content = parseJson(body)
    const challenge = challengeShape.safeParse(content).data?.challenge
    return challenge === undefined ? readSlackEvent(connection, content) : { answer: { challenge } }
  } catch (error) {
    if (!(error instanceof SlackWebhookError)) throw error
    throw problem('chat-signature-invalid', 'The request is not signed by Slack, or it is too old.', {
      cause: error,
    })
  }
}

function isForm({ headers }: InboundRequest): boolean {
  return headers.get('content-type')?.toLowerCase().startsWith(formType) ?? false
}

/** A button or shortcut is JSON in one field, a command is the fields themselves. */
function readFields(connection: Connection, body: Buffer): Received {
  const fields = new Map(readForm(body) ?? [])
  const payload = fields.get('payload')
  if (payload !== undefined) return readSlackInteraction(connection, parseJson(payload))
  return fields.has('command') ? readSlackCommand(connection, Object.fromEntries(fields)) : {}
}
