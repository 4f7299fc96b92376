type Detail = Record<string, unknown>

/**
 * The audit log in sentences. `{who}` and `{thing}` are the actor and what it happened to, `{request}` what an approval sends, other
 * words are facts of the entry: `{changes}` is which fields changed, and how. What is in brackets is left out if one of its facts is missing.
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
        : '{who} changed the[ {groups}] settings[: {changes}][, back to revision {restoredFrom}]',
  'tool.approvers-changed': '{who} changed who approves the tool {thing}',
  'tool.gone': 'The tool {thing} is no longer offered by its server',
  'tool.quarantined': 'The tool {thing} changed on its server and waits for a review',
  'tool.tried': '{who} tried the tool {thing}[ ({method} {url})]',
  'totp.disabled': '{who} turned off two-factor authentication for {thing}',
  'totp.enabled': '{who} turned on two-factor authentication',
  'totp.recovery-codes-renewed': '{who} created new recovery codes',
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
export function templateOf(action: string, detail: Detail): string {
  const template = auditTemplates[action]
  if (template !== undefined) return typeof template === 'string' ? template : template(detail)
  const [noun = '', verb = ''] = action.split('.').map((words) => words.replaceAll(/[_-]/g, ' '))
  const name = noun.replace(/^(api|mcp|oidc)\b/, (word) => word.toUpperCase())
  return `{who} ${verb} the ${name} {thing}[: {changes}][ from {from}][ to {to}][, back to revision {restoredFrom}]`
}
