import * as apiKeys from './accounts/endpoints/api-keys.ts'
import * as auditLog from './accounts/endpoints/audit-log.ts'
import * as groups from './accounts/endpoints/groups.ts'
import * as links from './accounts/endpoints/links.ts'
import * as me from './accounts/endpoints/me.ts'
import * as oidc from './accounts/endpoints/oidc.ts'
import * as sessions from './accounts/endpoints/sessions.ts'
import * as signIn from './accounts/endpoints/sign-in-and-out.ts'
import * as users from './accounts/endpoints/users.ts'
import * as views from './accounts/endpoints/views.ts'
import type { AppContext } from './app/app-context.ts'
import * as policies from './approvals/policies/routes.ts'
import * as approvals from './approvals/routes.ts'
import { receivePlatformRequest } from './chat/delivery/inbound/routes.ts'
import * as files from './chat/files/routes.ts'
import * as identities from './chat/identities/routes.ts'
import * as reactions from './chat/reactions/routes.ts'
import * as chat from './chat/routes.ts'
import * as workspaces from './chat/workspaces/routes.ts'
import * as prompts from './connectors/mcp/prompts/routes.ts'
import { toolRevisions } from './connectors/mcp/tool-revisions.ts'
import * as oauth from './connectors/oauth/routes.ts'
import * as connectors from './connectors/routes.ts'
import * as events from './events/routes.ts'
import type { Access, Method, Route } from './http/api.ts'
import { apiDocs, openApiDocument } from './http/api-description.ts'
import type { Endpoint } from './http/endpoint.ts'
import * as health from './http/health.ts'
import * as cases from './runs/rehearsals/cases/routes.ts'
import * as nightly from './runs/rehearsals/nightly/routes.ts'
import * as rehearsals from './runs/rehearsals/routes.ts'
import * as runs from './runs/routes.ts'
import * as schedules from './schedules/routes.ts'
import * as settings from './settings/routes.ts'
import * as figures from './status/figures/routes.ts'
import * as status from './status/routes.ts'
import { serveMcp } from './tools/mcp-server/routes.ts'
import * as questions from './tools/questions/routes.ts'
import * as receipts from './tools/receipts/routes.ts'
import * as tools from './tools/routes.ts'
import * as webhooks from './webhooks/routes.ts'

/**
 * Every URL of Bellhop, with the role it needs. Only one is missing: `POST /hooks/<token>` bypasses the framework
 * (src/webhooks/ingress/ingress.ts, mounted in src/app.ts).
 */
export const routes: readonly Route<AppContext>[] = [
  at('GET', '/healthz', 'anyone', health.healthz),
  at('GET', '/readyz', 'anyone', health.readyz),
  at('GET', '/metrics', 'anyone', health.metrics),
  at('GET', '/api/openapi.json', 'anyone', openApiDocument),
  at('GET', '/api/docs', 'anyone', apiDocs),

  at('GET', '/api/v1/setup', 'anyone', signIn.readSetup),
  at('POST', '/api/v1/setup', 'anyone', signIn.setUp),
  at('POST', '/api/v1/session', 'anyone', signIn.openSession),
  at('DELETE', '/api/v1/session', 'anyone', signIn.closeSession),
  at('GET', '/api/v1/session/oidc', 'anyone', oidc.startOidc),
  at('GET', '/api/v1/session/oidc/callback', 'anyone', oidc.finishOidc),
  at('POST', '/api/v1/session/oidc/code', 'anyone', oidc.finishOidcWithCode),
  at('POST', '/api/v1/links/inspect', 'anyone', links.inspectLink),
  at('POST', '/api/v1/links/accept', 'anyone', links.acceptLink),
  at('GET', '/api/v1/me', 'member', me.readMe),
  at('PATCH', '/api/v1/me', 'member', me.patchMe),
  at('POST', '/api/v1/me/totp', 'member', me.enrolMyTotp),
  at('POST', '/api/v1/me/totp/confirm', 'member', me.confirmMyTotp),
  at('DELETE', '/api/v1/me/totp', 'member', me.disableMyTotp),
  at('GET', '/api/v1/sessions', 'member', sessions.listSessions),
  at('DELETE', '/api/v1/sessions/{id}', 'member', sessions.dropSession),
  at('GET', '/api/v1/views', 'member', views.listViews),
  at('PUT', '/api/v1/views', 'member', views.putView),
  at('DELETE', '/api/v1/views/{id}', 'member', views.dropView),
  at('GET', '/api/v1/people', 'member', users.listPeople),
  at('GET', '/api/v1/users', 'admin', users.listUsers),
  at('POST', '/api/v1/users', 'admin', users.addUser),
  at('GET', '/api/v1/users/{id}', 'admin', users.readUser),
  at('PATCH', '/api/v1/users/{id}', 'admin', users.patchUser),
  at('DELETE', '/api/v1/users/{id}', 'admin', users.dropUser),
  at('POST', '/api/v1/users/{id}/reset-link', 'admin', users.addResetLink),
  at('DELETE', '/api/v1/users/{id}/totp', 'admin', users.disableUserTotp),
  at('GET', '/api/v1/api-keys', 'admin', apiKeys.listApiKeys),
  at('POST', '/api/v1/api-keys', 'admin', apiKeys.addApiKey),
  at('GET', '/api/v1/api-keys/{id}', 'admin', apiKeys.readApiKey),
  at('PATCH', '/api/v1/api-keys/{id}', 'admin', apiKeys.patchApiKey),
  at('DELETE', '/api/v1/api-keys/{id}', 'admin', apiKeys.dropApiKey),
  at('GET', '/api/v1/groups', 'operator', groups.listGroups),
  at('POST', '/api/v1/groups', 'admin', groups.addGroup),
  at('GET', '/api/v1/groups/{id}', 'operator', groups.readGroup),
  at('PATCH', '/api/v1/groups/{id}', 'admin', groups.patchGroup),
  at('DELETE', '/api/v1/groups/{id}', 'admin', groups.dropGroup),
  at('GET', '/api/v1/audit', 'admin', auditLog.listAuditLog),
  at('GET', '/api/v1/audit/verification', 'admin', auditLog.verifyAudit),
  at('GET', '/api/v1/audit/filters', 'admin', auditLog.listAuditFilters),
  at('GET', '/api/v1/audit/csv', 'admin', auditLog.downloadAuditLog),
  at('GET', '/api/v1/oidc', 'admin', oidc.readOidc),
  at('PUT', '/api/v1/oidc', 'admin', oidc.putOidc),
  at('DELETE', '/api/v1/oidc', 'admin', oidc.dropOidc),

  at('GET', '/api/v1/connectors', 'operator', connectors.listConnectors),
  at('POST', '/api/v1/connectors', 'operator', connectors.addConnector, { maxBytes: 16 * 1024 * 1024 }),
  at('POST', '/api/v1/connectors/test', 'operator', connectors.testUnsaved),
  at('POST', '/api/v1/connectors/import', 'operator', connectors.importPreview, {
    maxBytes: 32 * 1024 * 1024,
  }),
  at('GET', '/api/v1/connectors/{id}', 'operator', connectors.readConnector),
  at('PATCH', '/api/v1/connectors/{id}', 'operator', connectors.patchConnector, {
    maxBytes: 16 * 1024 * 1024,
  }),
  at('DELETE', '/api/v1/connectors/{id}', 'operator', connectors.dropConnector),
  at('POST', '/api/v1/connectors/{id}/test', 'operator', connectors.testSaved),
  at('POST', '/api/v1/connectors/{id}/refresh', 'operator', connectors.refreshConnector),
  at('GET', '/api/v1/prompts', 'operator', prompts.listPrompts),
  at('POST', '/api/v1/connectors/{id}/prompts/get', 'operator', prompts.getPrompt),
  at('POST', '/api/v1/connectors/{id}/oauth/discover', 'operator', oauth.discoverOauth),
  at('POST', '/api/v1/connectors/{id}/oauth/start', 'admin', oauth.startOauth),
  at('POST', '/api/v1/connectors/{id}/oauth/disconnect', 'admin', oauth.disconnectOauth),
  at('GET', '/api/v1/oauth/callback', 'anyone', oauth.finishOauth),
  at('GET', '/oauth/client.json', 'anyone', oauth.clientDocument),
  at('GET', '/api/v1/connectors/{id}/tool-health', 'operator', tools.toolHealth),
  at('GET', '/api/v1/connector-health', 'operator', tools.connectorHealth),
  at('POST', '/api/v1/connectors/{id}/tools', 'operator', connectors.addTool),
  at('PATCH', '/api/v1/connectors/{id}/tools/{toolId}', 'operator', connectors.patchTool),
  at('DELETE', '/api/v1/connectors/{id}/tools/{toolId}', 'operator', connectors.dropTool),
  at('GET', '/api/v1/tools', 'operator', connectors.listCallable),
  at('POST', '/api/v1/tools/{toolId}/try', 'operator', connectors.tryOne),
  at('GET', '/api/v1/tools/{toolId}/revisions', 'operator', toolRevisions.list),
  at('POST', '/api/v1/tools/{toolId}/revisions/{n}/restore', 'operator', toolRevisions.restore),

  at('GET', '/.well-known/jwks.json', 'anyone', receipts.keySet),
  at('GET', '/api/v1/signing-keys', 'operator', receipts.listSigningKeys),
  at('POST', '/api/v1/signing-keys/rotate', 'admin', receipts.rotateSigningKeys),

  at('POST', '/mcp', 'member', serveMcp),
  at('GET', '/.well-known/oauth-protected-resource', 'anyone', oidc.protectedResource),
  at('GET', '/.well-known/oauth-protected-resource/mcp', 'anyone', oidc.protectedResource),

  at('GET', '/api/v1/approvals', 'member', approvals.listApprovals),
  at('GET', '/api/v1/approvals/{id}', 'member', approvals.readApproval),
  at('GET', '/api/v1/approvals/{id}/receipt', 'member', tools.readReceipt),
  at('GET', '/api/v1/approvals/{id}/edit', 'member', tools.readEditForm),
  at('POST', '/api/v1/approvals/{id}/edit', 'member', tools.editApproval),
  at('POST', '/api/v1/approvals/{id}/approve', 'member', approvals.approve),
  at('POST', '/api/v1/approvals/{id}/deny', 'member', approvals.deny),

  at('GET', '/api/v1/tool-approvers', 'operator', approvals.listAllToolApprovers),
  at('GET', '/api/v1/tools/{toolId}/approvers', 'operator', approvals.readToolApprovers),
  at('PUT', '/api/v1/tools/{toolId}/approvers', 'admin', approvals.putToolApprovers),
  at('GET', '/api/v1/questions', 'member', questions.listQuestions),
  at('GET', '/api/v1/questions/{id}', 'member', questions.readQuestion),
  at('POST', '/api/v1/questions/{id}/answer', 'member', questions.answerOne),

  at('GET', '/api/v1/policies', 'operator', policies.listPolicies),
  at('POST', '/api/v1/policies', 'admin', policies.addPolicy),
  at('POST', '/api/v1/policies/backtest', 'operator', policies.backtestPolicy),
  at('GET', '/api/v1/policies/suggestions', 'operator', policies.listSuggestions),
  at('GET', '/api/v1/policies/{id}', 'operator', policies.readPolicy),
  at('PATCH', '/api/v1/policies/{id}', 'admin', policies.patchPolicy),
  at('DELETE', '/api/v1/policies/{id}', 'admin', policies.dropPolicy),
  at('GET', '/api/v1/policies/{id}/revisions', 'operator', policies.revisions.list),
  at('POST', '/api/v1/policies/{id}/revisions/{n}/restore', 'admin', policies.revisions.restore),

  at('GET', '/api/v1/channels', 'member', chat.listChannels),
  at('POST', '/api/v1/channels', 'operator', chat.addChannel),
  at('GET', '/api/v1/channels/unread', 'member', chat.readUnread),
  at('GET', '/api/v1/channels/{id}', 'member', chat.readChannel),
  at('GET', '/api/v1/channels/{id}/reach', 'operator', tools.channelReach),
  at('PATCH', '/api/v1/channels/{id}', 'operator', chat.patchChannel),
  at('DELETE', '/api/v1/channels/{id}', 'operator', chat.dropChannel),
  at('GET', '/api/v1/channels/{id}/messages', 'member', chat.listMessages),
  at('POST', '/api/v1/channels/{id}/messages', 'member', chat.addMessage),
  at('POST', '/api/v1/channels/{id}/files', 'member', files.addFile, { maxBytes: 8 * 1024 * 1024 }),
  at('GET', '/api/v1/files/{id}', 'member', files.readFileContent),
  at('GET', '/api/v1/channels/{id}/stream', 'member', chat.followChannel),
  at('PUT', '/api/v1/channels/{id}/read', 'member', chat.putReadMark),
  at('PUT', '/api/v1/channels/{id}/star', 'member', chat.putStar),
  at('POST', '/api/v1/channels/{id}/typing', 'member', chat.addTyping),
  at('GET', '/api/v1/messages', 'member', chat.searchMessages),
  at('GET', '/api/v1/messages/{id}', 'member', chat.readMessage),
  at('PATCH', '/api/v1/messages/{id}', 'member', chat.patchMessage),
  at('DELETE', '/api/v1/messages/{id}', 'member', chat.dropMessage),
  at('PUT', '/api/v1/messages/{id}/reactions/{name}', 'member', reactions.putReaction),
  at('DELETE', '/api/v1/messages/{id}/reactions/{name}', 'member', reactions.dropReaction),
  at('POST', '/api/v1/messages/{id}/decision', 'member', chat.decideOnCard),

  at('GET', '/api/v1/workspaces', 'operator', workspaces.listWorkspaces),
  at('POST', '/api/v1/workspaces', 'admin', workspaces.addWorkspace),
  at('GET', '/api/v1/workspaces/{id}', 'operator', workspaces.readWorkspace),
  at('PATCH', '/api/v1/workspaces/{id}', 'admin', workspaces.patchWorkspace),
  at('DELETE', '/api/v1/workspaces/{id}', 'admin', workspaces.dropWorkspace),
  at('POST', '/api/v1/workspaces/{id}/refresh', 'operator', workspaces.refreshWorkspace),
  at('POST', '/api/v1/workspaces/{id}/test', 'operator', workspaces.testWorkspace),
  at('GET', '/api/v1/workspaces/{id}/manifest', 'admin', workspaces.readManifest),
  at('GET', '/api/v1/workspaces/{id}/identities', 'admin', identities.listIdentities),
  at('PUT', '/api/v1/workspaces/{id}/identities/{externalId}', 'admin', identities.linkIdentity),
  at('DELETE', '/api/v1/workspaces/{id}/identities/{externalId}', 'member', identities.unlinkIdentity),
  at('GET', '/api/v1/chat-accounts', 'member', identities.listOwnIdentities),
  at('POST', '/api/v1/chat-accounts/code', 'member', identities.addLinkCode),
  at('POST', '/chat/{platform}/{id}', 'anyone', receivePlatformRequest, { maxBytes: 1024 * 1024 }),

  at('GET', '/api/v1/webhooks', 'operator', webhooks.listWebhooks),
  at('POST', '/api/v1/webhooks', 'operator', webhooks.addWebhook),
  at('GET', '/api/v1/webhooks/{id}', 'operator', webhooks.readWebhook),
  at('GET', '/api/v1/webhooks/{id}/reach', 'operator', tools.webhookReach),
  at('PATCH', '/api/v1/webhooks/{id}', 'operator', webhooks.patchWebhook),
  at('DELETE', '/api/v1/webhooks/{id}', 'operator', webhooks.dropWebhook),
  at('GET', '/api/v1/webhooks/{id}/revisions', 'operator', webhooks.revisions.list),
  at('POST', '/api/v1/webhooks/{id}/revisions/{n}/restore', 'operator', webhooks.revisions.restore),
  at('POST', '/api/v1/webhooks/{id}/rotate', 'operator', webhooks.rotateWebhook),
  at('POST', '/api/v1/webhooks/{id}/reveal', 'operator', webhooks.revealWebhook),
  // The whole body of a webhook with the usual limit fits in.
  at('POST', '/api/v1/webhooks/{id}/test', 'operator', webhooks.testWebhook, { maxBytes: 2 * 1024 * 1024 }),
  at('POST', '/api/v1/webhooks/{id}/rules/preview', 'operator', webhooks.previewWebhookRules),
  at('GET', '/api/v1/webhooks/{id}/refusals', 'operator', webhooks.listRefusals),
  at('GET', '/api/v1/webhooks/{id}/refusals/{refusalId}', 'operator', webhooks.readRefusal),
  at('POST', '/api/v1/webhooks/{id}/refusals/{refusalId}/check', 'operator', webhooks.checkRefused),
  at('GET', '/api/v1/webhooks/{id}/snippets', 'operator', webhooks.listSnippets),
  at('GET', '/api/v1/schedules', 'operator', schedules.listSchedules),
  at('POST', '/api/v1/schedules', 'operator', schedules.addSchedule),
  at('GET', '/api/v1/schedules/preview', 'operator', schedules.previewSchedule),
  at('GET', '/api/v1/schedules/{id}', 'operator', schedules.readSchedule),
  at('GET', '/api/v1/schedules/{id}/reach', 'operator', tools.scheduleReach),
  at('PATCH', '/api/v1/schedules/{id}', 'operator', schedules.patchSchedule),
  at('DELETE', '/api/v1/schedules/{id}', 'operator', schedules.dropSchedule),
  at('GET', '/api/v1/schedules/{id}/revisions', 'operator', schedules.revisions.list),
  at('POST', '/api/v1/schedules/{id}/revisions/{n}/restore', 'operator', schedules.revisions.restore),
  at('POST', '/api/v1/schedules/{id}/run-now', 'operator', schedules.ringSchedule),
  at('GET', '/api/v1/events', 'operator', events.listEvents),
  at('GET', '/api/v1/events/types', 'operator', events.listEventTypes),
  at('GET', '/api/v1/events/{id}', 'operator', events.readEvent),
  at('GET', '/api/v1/events/{id}/body', 'operator', events.downloadBody),
  at('DELETE', '/api/v1/events/{id}', 'operator', events.dropEvent),
  at('POST', '/api/v1/events/replay', 'operator', runs.replayAllFailed),
  at('POST', '/api/v1/events/{id}/replay', 'operator', runs.replay),
  at('GET', '/api/v1/models/outages', 'operator', runs.readOutages),

  at('GET', '/api/v1/runs', 'member', runs.listRuns),
  at('GET', '/api/v1/runs/{id}', 'member', runs.readRun),
  at('GET', '/api/v1/runs/{id}/prompt', 'operator', runs.readPrompt),
  at('POST', '/api/v1/runs/{id}/cancel', 'operator', runs.cancel),
  at('POST', '/api/v1/runs/{id}/retry-post', 'operator', runs.postAgain),
  at('PUT', '/api/v1/runs/{id}/thumb', 'member', runs.putThumb),
  at('DELETE', '/api/v1/runs/{id}/thumb', 'member', runs.dropThumb),

  at('POST', '/api/v1/webhooks/{id}/drill', 'operator', rehearsals.addDrill),
  at('GET', '/api/v1/rehearsals', 'operator', rehearsals.listRehearsals),
  at('POST', '/api/v1/rehearsals', 'operator', rehearsals.addRehearsal),
  at('GET', '/api/v1/rehearsals/{id}', 'operator', rehearsals.readRehearsal),
  at('POST', '/api/v1/rehearsals/{id}/cancel', 'operator', rehearsals.cancel),
  at('GET', '/api/v1/webhooks/{id}/nightly', 'operator', nightly.readNightly),
  at('PUT', '/api/v1/webhooks/{id}/nightly', 'operator', nightly.putNightly),
  at('DELETE', '/api/v1/webhooks/{id}/nightly', 'operator', nightly.dropNightly),
  at('GET', '/api/v1/cases', 'operator', cases.listCases),
  at('POST', '/api/v1/cases', 'operator', cases.addCase),
  at('GET', '/api/v1/cases/{id}', 'operator', cases.readCase),
  at('PATCH', '/api/v1/cases/{id}', 'operator', cases.patchCase),
  at('DELETE', '/api/v1/cases/{id}', 'operator', cases.dropCase),

  at('GET', '/api/v1/stream', 'member', status.stream),
  at('GET', '/api/v1/stats', 'member', status.stats),
  at('GET', '/api/v1/figures', 'operator', figures.readFiguresBy),
  at('GET', '/api/v1/figures/csv', 'operator', figures.downloadFigures),
  at('GET', '/api/v1/about', 'operator', status.about),

  at('GET', '/api/v1/settings', 'operator', settings.readSettings),
  at('PATCH', '/api/v1/settings', 'admin', settings.patchSettings),
  at('GET', '/api/v1/settings/revisions', 'operator', settings.revisions.list),
  at('POST', '/api/v1/settings/revisions/{n}/restore', 'admin', settings.revisions.restore),
  at('POST', '/api/v1/settings/model/test', 'admin', settings.tryModel),
]

function at(
  method: Method,
  path: string,
  access: Access,
  endpoint: Endpoint<AppContext>,
  options: { maxBytes?: number } = {},
): Route<AppContext> {
  return { method, path, access, endpoint, ...options }
}
