import { toolLabel } from './tool-label.ts'

type Detail = Record<string, unknown>

/**
 * The audit log in sentences. `{who}` and `{thing}` are the actor and what it happened to, `{request}` what an approval sends, other
 * words are facts of the entry. What is in brackets is left out if one of its facts is missing.
 */
export const auditTemplates: Record<string, string | ((detail: Detail) => string)> = {
  'access.denied':
    '{who} was refused[ {method} {path}][ for {thing}][: {because}][: the {needs} role is needed]',
  'api-key.created': '{who} created the API key {thing}[ with the role {role}]',
  'approval.approved': '{who} approved {thing}[ ({request})][: “{reason}”]',
  'approval.denied': '{who} denied {thing}[ ({request})][: “{reason}”]',
  'approval.edited': '{who} changed[ {changed} in] the request of {thing}[ ({request})] before a decision',
  'approval.given': '{who} approved {thing}[ ({request})][, {approvals} of {needed}][: “{reason}”]',
  'approval.withdrawn': '{who} withdrew {thing}[ ({request})][: “{reason}”]',
  'channel.scoped': '{who} changed which connectors the agent may use in the channel {thing}',
  'channel.thread_context_changed':
    '{who} changed how much of a thread the agent reads in the channel {thing}[ from {from}][ to {to}]',
  'chat_account.linked': '{who} linked a chat account[ ({externalId})] to {thing}',
  'chat_account.unlinked': '{who} unlinked a chat account[ ({externalId})] from {thing}',
  'connector.access-ended': 'The access of the connector {thing}[ as {account}] ended[: {because}]',
  'connector.connected': '{who} connected {thing}[ at {issuer}][ as {account}]',
  'connector.disconnected': '{who} disconnected {thing}[ from the account {account}]',
  'egress.refused': '{who} blocked a connection[ to {host}][ ({address})][ for {purpose}]: {rule}',
  'encryption-key.rotated': '{who} rotated the encryption key',
  'event.erased': '{who} erased {thing} and everything derived from its body',
  'event.replayed': ({ dryRun }) =>
    `{who} replayed {thing}${dryRun === true ? ' as a test, without writes' : ''}`,
  'nightly-rehearsal.set': '{who} has {thing} rehearsed with {model} every night[, for {budget} at most]',
  'nightly-rehearsal.stopped': '{who} ended the nightly rehearsals of {thing}',
  'oidc.configured': '{who} set up sign-in with the provider[ {issuer}]',
  'oidc.removed': '{who} removed the sign-in provider',
  'policy.paused': ({ because }) =>
    because === undefined
      ? '{who} denied a call that the policy {thing} covers, which paused the policy'
      : 'The policy {thing} was paused: {because}',
  'case.changed': '{who} changed the case of {thing}',
  'case.created': '{who} kept {thing} as a case',
  'case.deleted': '{who} deleted the case of {thing}',
  'rehearsal.cancelled': '{who} canceled a rehearsal of {thing}',
  'rehearsal.drill-started': '{who} started a drill of {thing}[ with {events} hidden orders]',
  'rehearsal.started': '{who} rehearsed a change of {thing}[ on {events} past events]',
  'run.cancelled': '{who} canceled {thing}',
  'run.reply_retried': '{who} posted the reply of {thing} again',
  'schedule.ran': '{who} ran the schedule {thing} outside its times',
  'session.created': '{who} signed in',
  'session.ended': '{who} signed out',
  'session.refused': 'A sign-in[ as {thing}][ through {provider}] was refused[: {because}]',
  'session.revoked': '{who} ended a session of {thing}',
  'settings.changed': ({ paused }) =>
    paused === true
      ? '{who} paused the agent[: {pauseReason}]'
      : paused === false
        ? '{who} resumed the agent'
        : '{who} changed the[ {groups}] settings[, back to revision {restoredFrom}]',
  'tool.approvers-changed': '{who} changed who approves the tool {thing}',
  'tool.gone': 'The tool {thing} is no longer offered by its server',
  'tool.quarantined': 'The tool {thing} changed on its server and waits for a review',
  'tool.tried': '{who} tried the tool {thing}[ ({method} {url})]',
  'totp.disabled': '{who} turned off two-step verification for {thing}',
  'totp.enabled': '{who} turned on two-step verification',
  'totp.recovery-codes-renewed': '{who} created new recovery codes',
  'user.changed': '{who} changed the user {thing}[: role {role}]',
  'user.identity-linked': '{thing} joined by signing in[ through {provider}]',
  'user.invited': '{who} invited {thing}[ as {role}]',
  'user.joined': '{who} accepted the invitation',
  'user.password-changed': '{who} changed their password',
  'user.password-reset': '{who} set a new password with a reset link',
  'user.reset-link-created': '{who} created a password reset link for {thing}',
  'webhook.revealed': '{who} viewed the URL of the webhook {thing}',
  'webhook.rotated':
    '{who} rotated the URL of the webhook {thing}[; the former URL works for another {overlapSeconds}]',
  'webhook.tested': '{who} sent a test event to the webhook {thing}',
}

/** Everything else has a noun and a verb that make a sentence by themselves: "Kim created the webhook Orders". */
function templateOf(action: string, detail: Detail): string {
  const template = auditTemplates[action]
  if (template !== undefined) return typeof template === 'string' ? template : template(detail)
  const [noun = '', verb = ''] = action.split('.').map((words) => words.replaceAll(/[_-]/g, ' '))
  const name = noun.replace(/^(api|mcp|oidc)\b/, (word) => word.toUpperCase())
  return `{who} ${verb} the ${name} {thing}[: {fields}][ from {from}][ to {to}][, back to revision {restoredFrom}]`
}

type Entry = {
  actor: { name: string }
  action: string
  subject: string | null
  subjectName: string | null
  /** What an approval sends, such as `POST /orders/1001/refund`; null for other things, and once it is erased. */
  request: string | null
  detail: Record<string, unknown> | null
}

/** Plain words, or a thing that may have a page. */
export type SentencePart = string | { id: string; words: string }

type Sentence = {
  parts: SentencePart[]
  /** Facts that the sentence does not tell. */
  rest: [name: string, value: string][]
}

/** An entry of the audit log as a whole sentence: in the dashboard, in the API and in the file that is downloaded. */
export function auditSentence(entry: Entry): Sentence {
  const detail = entry.detail ?? {}
  const told = new Set<string>(
    ['name', 'email', 'tool'].filter((fact) => textOf(detail[fact]) === nameOf(entry)),
  )
  if (entry.request !== null) told.add('digest')
  for (const fact of ['dryRun', 'paused']) told.add(fact)
  const fillIn = (fact: string): SentencePart | null => {
    if (fact === 'who') return entry.actor.name
    if (fact === 'thing') return thingOf(entry)
    if (fact === 'request') return entry.request
    const text = textOf(detail[fact])
    if (text === '') return null
    told.add(fact)
    if (fact.endsWith('Seconds')) return duration(Number(text))
    return fact === 'rule' ? text.replaceAll('-', ' ') : text
  }
  const parts: SentencePart[] = templateOf(entry.action, detail)
    .split(/(\[[^\]]*\])/)
    .flatMap((piece): SentencePart[] => {
      const isOptional = piece.startsWith('[')
      const filled = (isOptional ? piece.slice(1, -1) : piece)
        .split(/(\{\w+\})/)
        .map((word) => (word.startsWith('{') ? fillIn(word.slice(1, -1)) : word))
      return isOptional && filled.includes(null)
        ? []
        : filled.filter((part): part is SentencePart => part !== null && part !== '')
    })
  const rest = Object.entries(detail).flatMap(([name, value]): [string, string][] =>
    told.has(name) || textOf(value) === '' ? [] : [[name, textOf(value)]],
  )
  return { parts, rest }
}

const kinds: Record<string, string> = {
  hook: 'a webhook',
  sched: 'a schedule',
  con: 'a connector',
  tool: 'a tool',
  run: 'a run',
  apr: 'a request',
  evt: 'an event',
  chan: 'a channel',
  usr: 'a user',
  key: 'an API key',
  ses: 'a session',
  wsp: 'a workspace',
  pol: 'a policy',
  grp: 'a group',
}

function thingOf(entry: Entry): SentencePart | null {
  const name = nameOf(entry)
  if (entry.subject === null) return name || null
  const [kind = ''] = entry.subject.split('_')
  return { id: entry.subject, words: name || (kinds[kind] ?? entry.subject) }
}

/** The name at that time, which people know better than the id. Some entries have it among their facts, some not at all. */
function nameOf({ subjectName, detail }: Entry): string {
  const { name, email, tool } = detail ?? {}
  const found = [subjectName, name, email, tool].find((text) => typeof text === 'string' && text !== '')
  return typeof found === 'string' ? toolLabel(found) : ''
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (typeof value === 'string') return toolLabel(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function duration(seconds: number): string {
  for (const [unit, length] of [
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ] as const)
    if (seconds >= length && seconds % length === 0)
      return `${seconds / length} ${unit}${seconds === length ? '' : 's'}`
  return `${seconds} seconds`
}
