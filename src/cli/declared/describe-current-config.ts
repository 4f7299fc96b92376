import { defaultTimeoutMs } from '../../connectors/contract.ts'
import { isObject } from '../../platform/json/is-object.ts'
import {
  describeApprovers,
  describeGroups,
  describeToolApprovers,
  type ToolApprovers,
} from './describe-approvers.ts'
import type { ManagementApi } from './management-api.ts'
import { refuseSharedNames } from './refuse-shared-names.ts'
import { asWritten, Reference } from './write-references.ts'

type Fields = Record<string, unknown>
export type Named = Fields & { id: string; name: string }
export type CurrentConfig = {
  connectors: Named[]
  webhooks: Named[]
  schedules: Named[]
  policies: Named[]
  channels: Named[]
  groups: Named[]
  users: Named[]
  /** Of the tools that are not approved by an admin. */
  toolApprovers: ToolApprovers[]
  approvals: ApprovalSettings
}
type ApprovalSettings = { adminsMayApprove: boolean }
type DeclaredConfig = Record<
  Exclude<keyof CurrentConfig, 'users' | 'toolApprovers' | 'approvals'>,
  Fields[]
> & {
  approvals?: ApprovalSettings
}

export async function readCurrentConfig(api: ManagementApi): Promise<CurrentConfig> {
  const [connectors, webhooks, schedules, policies, channels, groups, users, toolApprovers, { approvals }] =
    await Promise.all([
      api.list<Named>('/connectors'),
      api.list<Named>('/webhooks'),
      api.list<Named>('/schedules'),
      api.list<Named>('/policies'),
      api.list<Named>('/channels'),
      api.list<Named>('/groups'),
      api.list<Named>('/users'),
      api.list<ToolApprovers>('/tool-approvers'),
      api.read<{ approvals: ApprovalSettings }>('/settings'),
    ])
  return { connectors, webhooks, schedules, policies, channels, groups, users, toolApprovers, approvals }
}

const connectorFields = [
  'name',
  'type',
  'baseUrl',
  'url',
  'defaultHeaders',
  'authType',
  'authName',
  'authValue',
  'oauth',
  'timeoutMs',
  'signRequests',
]
const toolFields = [
  'name',
  'description',
  'method',
  'path',
  'capability',
  'permission',
  'locations',
  'bodyFormat',
  'inputSchema',
  'outputSchema',
]
const webhookFields = [
  'name',
  'prompt',
  'active',
  'ceiling',
  'readsAcross',
  'verification',
  'exposeHeaders',
  'rateLimit',
  'allowSilence',
  'deliveryId',
  'maxBodyBytes',
  'concurrency',
  'model',
  'fallbackModel',
  'runsPerHour',
  'costPerDay',
  'threadKey',
  'threadDays',
  'collect',
]

const scheduleFields = [
  'name',
  'prompt',
  'active',
  'cron',
  'at',
  'timeZone',
  'ifMissed',
  'graceMinutes',
  'overlap',
  'thread',
  'ceiling',
  'allowSilence',
  'model',
  'fallbackModel',
  'costPerDay',
]

/** Whether it is paused is left to the installation. */
const watchFields = ['from', 'when', 'prompt', 'ceiling', 'perHour']

const policyFields = ['name', 'tool', 'when', 'then', 'cap', 'until']

/** The name of a channel in a file. Channels of other platforms are prefixed with their workspace, since many have a #general. */
export function channelName({ name, platform, workspaceName }: Named): string {
  return platform === 'built-in' ? name : `${workspaceName}: ${name}`
}

/** The file that declares the installation as it is. A secret appears as the variable that the reader must set. */
export function describeCurrentConfig({
  connectors,
  webhooks,
  schedules,
  policies,
  channels,
  groups,
  users,
  toolApprovers,
  approvals,
}: CurrentConfig): DeclaredConfig {
  refuseSharedNames('connector', connectors)
  refuseSharedNames('webhook', webhooks)
  refuseSharedNames('schedule', schedules)
  refuseSharedNames('policy', policies)
  // A deleted connector grants nothing, so it is left out.
  const scopeOf = ({ connectorIds }: Named) =>
    Array.isArray(connectorIds)
      ? connectorIds.flatMap((listed) => connectors.find(({ id }) => id === listed)?.name ?? [])
      : null
  const channelOf = (id: unknown) => {
    const channel = channels.find((one) => one.id === id)
    return channel ? channelName(channel) : id
  }
  const policyScope = ({ for: scope }: Named) => {
    if (!isObject(scope)) return undefined
    const { webhookIds, channelIds, ...rest } = scope
    const nameOf = (id: unknown) => webhooks.find((one) => one.id === id)?.name ?? id
    return {
      ...rest,
      ...(Array.isArray(webhookIds) ? { webhooks: webhookIds.map(nameOf) } : {}),
      ...(Array.isArray(channelIds) ? { channels: channelIds.map(channelOf) } : {}),
    }
  }
  const rulesOf = ({ rules }: Named) =>
    Array.isArray(rules)
      ? rules.map(({ channelId, ...rule }: Fields) =>
          channelId === undefined ? rule : { ...rule, channel: channelOf(channelId) },
        )
      : undefined
  const declared = {
    connectors: connectors.map((connector) => {
      const shown = pick(connector, connectorFields)
      const tools = (connector.tools ?? []) as Fields[] // the shape of a connector has a list of tools
      return {
        ...shown,
        authValue: credentialOf(connector),
        oauth: describeOauth(connector),
        ...(isObject(shown.defaultHeaders)
          ? { defaultHeaders: headers(connector.name, shown.defaultHeaders) }
          : {}),
        // Shown for every connector, but set only where it differs.
        timeoutMs: shown.timeoutMs === defaultTimeoutMs ? undefined : shown.timeoutMs,
        signRequests: shown.signRequests ? true : undefined,
        ...(connector.type === 'http' ? { tools: tools.map(describeTool) } : {}),
        ...describeToolApprovers(groups, tools, toolApprovers),
      }
    }),
    groups: describeGroups(groups, users),
    // Where it is not the usual.
    ...(approvals.adminsMayApprove ? {} : { approvals }),
    // Channels need not be declared: webhooks name theirs. Only those with settings of their own appear.
    channels: channels
      .map((channel) => ({
        name: channelName(channel),
        connectors: scopeOf(channel),
        readsAcross: channel.readsAcross,
        // Where it is not the usual.
        ...(channel.threadContext === 'off' ? { threadContext: 'off' } : {}),
        ...(isObject(channel.watch) ? { watch: pick(channel.watch, watchFields) } : {}),
      }))
      .filter(
        ({ connectors, readsAcross, threadContext, watch }) =>
          connectors !== null || readsAcross !== 'all' || threadContext || watch,
      ),
    webhooks: webhooks.map((webhook) => ({
      ...pick(webhook, webhookFields),
      channel: channelOf(webhook.channelId),
      rules: rulesOf(webhook),
      connectors: scopeOf(webhook),
      verification: describeVerification(webhook),
    })),
    schedules: schedules.map((schedule) => ({
      ...pick(schedule, scheduleFields),
      channel: channelOf(schedule.channelId),
      connectors: scopeOf(schedule),
    })),
    policies: policies.map((policy) => ({
      ...pick(policy, policyFields),
      state: policy.state === 'expired' ? 'active' : policy.state,
      for: policyScope(policy),
      ...describeApprovers(groups, policy),
    })),
  }
  return asWritten(declared, new Set()) as DeclaredConfig // the same shape with other texts in it
}

function describeTool(tool: Fields): Fields {
  const { permission, ...shown } = pick(tool, toolFields)
  return { ...shown, ...(tool.permissionIsSet ? { permission } : {}) }
}

function headers(name: string, shown: Fields): Fields {
  return Object.fromEntries(
    Object.entries(shown).map(([header, value]) => [
      header,
      // One that is not set is stored, but cannot be opened any more: it belongs to the connector all the same.
      isObject(value) && 'set' in value ? new Reference(name, header) : value,
    ]),
  )
}

function describeVerification({ name, verification }: Named): unknown {
  if (!isObject(verification)) return null
  const { secrets, ...settings } = verification
  // Secrets are never returned, only how many there are.
  const { count } = secrets as { count: number }
  const references = Array.from(
    { length: count },
    (_, index) => new Reference(name, index === 0 ? 'SECRET' : `SECRET_${index + 1}`),
  )
  return { ...settings, secrets: references }
}

/** A new address clears the value, and a connector cannot be applied without one. */
function credentialOf({ name, authType }: Named): unknown {
  return authType === 'none' || isOauth(authType) ? undefined : new Reference(name, 'AUTH_VALUE')
}

function isOauth(authType: unknown): boolean {
  return authType === 'oauth' || authType === 'oauth_client'
}

/** The configuration. What was granted is never part of a file: an admin signs in again. */
function describeOauth({ name, authType, oauth }: Named): unknown {
  if (!isOauth(authType) || !isObject(oauth)) return undefined
  const { clientSecret, ...plain } = oauth
  const isSet = ([, value]: [string, unknown]) =>
    value !== null && value !== 'auto' && Object.keys(Object(value)).length > 0
  return {
    ...Object.fromEntries(Object.entries(plain).filter(isSet)),
    // One that is not set is stored, but cannot be opened any more, or was never entered.
    ...(isObject(clientSecret) && clientSecret.set === true
      ? { clientSecret: new Reference(name, 'CLIENT_SECRET') }
      : {}),
  }
}

function pick(thing: Fields, names: string[]): Fields {
  return Object.fromEntries(
    names.filter((name) => thing[name] !== undefined).map((name) => [name, thing[name]]),
  )
}
