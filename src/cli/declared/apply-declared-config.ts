import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { explainIssue } from '../../shared/explain-issue.ts'
import { readsAcrossValues } from '../../shared/scope.ts'
import { type CurrentConfig, channelName, type Named } from './describe-current-config.ts'
import type { ManagementApi } from './management-api.ts'
import { refuseSharedNames } from './refuse-shared-names.ts'

const named = z.looseObject({ name: z.string().min(1) })
const scope = z.array(z.string()).nullable()
const posting = named.extend({ channel: z.string(), connectors: scope.optional() })
/** With the names of groups in place of their ids. */
const approvers = {
  approvers: z.array(z.string()).optional(),
  escalate: z.array(z.looseObject({ to: z.string() })).optional(),
}
const fileShape = z.strictObject({
  groups: z.array(named.extend({ users: z.array(z.string()).default([]) })).default([]),
  approvals: z.strictObject({ adminsMayApprove: z.boolean() }).optional(),
  connectors: z
    .array(named.extend({ approvers: z.record(z.string(), z.looseObject(approvers)).optional() }))
    .default([]),
  channels: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        connectors: scope,
        readsAcross: z.enum(readsAcrossValues).optional(),
        threadContext: z.string().optional(),
        watch: z.looseObject({}).nullish(),
      }),
    )
    .default([]),
  webhooks: z.array(posting.extend({ rules: z.array(z.looseObject({})).optional() })).default([]),
  schedules: z.array(posting).default([]),
  policies: z
    .array(
      named.extend({
        ...approvers,
        for: z
          .looseObject({ webhooks: z.array(z.string()).optional(), channels: z.array(z.string()).optional() })
          .nullish(),
      }),
    )
    .default([]),
})
export type DeclaredFile = z.output<typeof fileShape>

export function parseDeclaredConfig(content: unknown): DeclaredFile {
  const parsed = fileShape.safeParse(content ?? {}, { error: explainIssue })
  if (!parsed.success) {
    const faults = parsed.error.issues.flatMap(faultsOf).map((fault) => `\n  ${fault}`)
    throw new Error(
      `The file does not describe groups, connectors, channels, webhooks, schedules and policies:${faults.join('')}`,
    )
  }
  refuseSharedNames('group', parsed.data.groups)
  refuseSharedNames('connector', parsed.data.connectors)
  refuseSharedNames('channel', parsed.data.channels)
  refuseSharedNames('webhook', parsed.data.webhooks)
  refuseSharedNames('schedule', parsed.data.schedules)
  refuseSharedNames('policy', parsed.data.policies)
  return parsed.data
}

function faultsOf(issue: z.core.$ZodIssue): string[] {
  if (issue.code !== 'unrecognized_keys') return [`${issue.path.join('.') || 'all of it'}: ${issue.message}`]
  return issue.keys.map((key) => `${[...issue.path, key].join('.')}: Unknown field.`)
}

/** Things are identified by name. What the file does not mention is left alone. What became of each is yielded at once. */
export async function* applyDeclaredConfig(
  api: ManagementApi,
  current: CurrentConfig,
  file: DeclaredFile,
): AsyncGenerator<string> {
  const connectors = new Map(current.connectors.map(({ name, id }) => [name, id]))
  const idsOf = (names: string[] | null) => names?.map((name) => known(connectors, name)) ?? null
  yield* applyGroups(api, current, file.groups)
  if (file.approvals) {
    const { approvals } = await api.send<CurrentConfig>('PATCH', '/settings', { approvals: file.approvals })
    yield `${isDeepStrictEqual(approvals, current.approvals) ? 'unchanged' : 'changed'} approvals`
  }
  for (const { type, approvers, ...declared } of file.connectors) {
    const existing = find(current.connectors, declared.name, 'connector')
    const body = existing ? declared : { type: type ?? 'http', ...declared }
    const saved = await save(api, 'connector', declared.name, existing, body)
    connectors.set(saved.name, saved.id)
    yield `${outcome(existing, saved)} connector ${saved.name}`
    yield* applyToolApprovers(api, current, saved, approvers ?? {})
  }
  for (const { name, connectors: names, ...declared } of file.channels) {
    const existing = findChannel(current, name)
    const { id } = existing ?? (await createChannel(api, current, name))
    const saved = await about(
      `channel ${name}`,
      api.send<Named>('PATCH', `/channels/${id}`, { ...declared, connectorIds: idsOf(names) }),
    )
    yield `${outcome(existing, saved)} channel ${name}`
  }
  for (const kind of ['webhook', 'schedule'] as const) {
    const things = current[`${kind}s`]
    for (const { channel: name, connectors: names, rules, ...declared } of declaredOf(file, kind)) {
      const channel = findChannel(current, name)
      const { id: channelId } = channel ?? (await createChannel(api, current, name))
      if (!channel) yield `created channel ${name}`
      const body = {
        ...declared,
        channelId,
        ...(rules ? { rules: rules.map((rule) => withChannelId(current, rule)) } : {}),
        ...(names === undefined ? {} : { connectorIds: idsOf(names) }),
      }
      const existing = find(things, declared.name, kind)
      const saved = await save(api, kind, declared.name, existing, body)
      if (!existing) things.push(saved)
      const url = saved.endpointUrl && !existing ? `: ${saved.endpointUrl}` : ''
      yield `${outcome(existing, saved)} ${kind} ${saved.name}${url}`
    }
  }
  yield* applyPolicies(api, current, file.policies)
}

/** People are named by their addresses; they must have been invited. */
async function* applyGroups(
  api: ManagementApi,
  current: CurrentConfig,
  groups: DeclaredFile['groups'],
): AsyncGenerator<string> {
  for (const { users, ...declared } of groups) {
    const userIds = users.map((email) => {
      const user = current.users.find((one) => one.email === email)
      if (!user) throw new Error(`group ${declared.name}: There is no user "${email}". Invite them first.`)
      return user.id
    })
    const existing = find(current.groups, declared.name, 'group')
    const saved = await save(api, 'group', declared.name, existing, { ...declared, userIds })
    if (!existing) current.groups.push(saved)
    yield `${outcome(existing, saved)} group ${saved.name}`
  }
}

type NamedApprovers = { approvers?: string[] | undefined; escalate?: { to: string }[] | undefined }

function withGroupIds(current: CurrentConfig, thing: string, { approvers, escalate }: NamedApprovers) {
  const idOf = (name: string) => {
    const found = find(current.groups, name, 'group')
    if (!found) throw new Error(`${thing}: There is no group "${name}".`)
    return found.id
  }
  return {
    ...(approvers && { approvers: approvers.map(idOf) }),
    ...(escalate && { escalate: escalate.map((step) => ({ ...step, to: idOf(step.to) })) }),
  }
}

/** Who approves is no part of a tool; what the file does not name stays as it is. */
async function* applyToolApprovers(
  api: ManagementApi,
  current: CurrentConfig,
  connector: Named,
  declared: Record<string, NamedApprovers>,
): AsyncGenerator<string> {
  const tools = connector.tools as Named[] // the shape of a connector has a list of tools
  for (const [name, approvers] of Object.entries(declared)) {
    const tool = tools.find((one) => one.name === name)
    const thing = `approvers of ${connector.name} ${name}`
    if (!tool && connector.type === 'mcp') {
      // A server that was just connected has not listed its tools, and none of them can be called yet.
      yield `skipped ${thing}: the server does not list the tool yet; apply the file again`
      continue
    }
    if (!tool) throw new Error(`${thing}: There is no such tool.`)
    const before = current.toolApprovers.find(({ toolId }) => toolId === tool.id)
    const saved = await about(
      thing,
      api.send<Record<string, unknown>>('PUT', `/tools/${tool.id}/approvers`, {
        ...approvers,
        ...withGroupIds(current, thing, approvers),
      }),
    )
    const isSame = before && isDeepStrictEqual(before, { toolId: tool.id, ...saved })
    yield `${before ? (isSame ? 'unchanged' : 'changed') : 'created'} ${thing}`
  }
}

/** A policy names webhooks and channels, which must exist. New ones are asked last, in the order of the file. */
async function* applyPolicies(
  api: ManagementApi,
  current: CurrentConfig,
  policies: DeclaredFile['policies'],
): AsyncGenerator<string> {
  for (const { for: scope, approvers, escalate, ...declared } of policies) {
    const { webhooks, channels, ...rest } = scope ?? {}
    const idOf = (what: string, name: string, found: Named | undefined) => {
      if (!found) throw new Error(`policy ${declared.name}: There is no ${what} "${name}".`)
      return found.id
    }
    const body = {
      ...declared,
      ...withGroupIds(current, `policy ${declared.name}`, { approvers, escalate }),
      for: scope && {
        ...rest,
        ...(webhooks && {
          webhookIds: webhooks.map((name) => idOf('webhook', name, find(current.webhooks, name, 'webhook'))),
        }),
        ...(channels && {
          channelIds: channels.map((name) => idOf('channel', name, findChannel(current, name))),
        }),
      },
    }
    const existing = find(current.policies, declared.name, 'policy')
    const saved = await save(api, 'policy', declared.name, existing, body)
    yield `${outcome(existing, saved)} policy ${saved.name}`
  }
}

function save(
  api: ManagementApi,
  kind: 'group' | 'connector' | 'webhook' | 'schedule' | 'policy',
  name: string,
  existing: Named | undefined,
  body: object,
): Promise<Named> {
  const path = kind === 'policy' ? '/policies' : `/${kind}s`
  const saving = existing
    ? api.send<Named>('PATCH', `${path}/${existing.id}`, body)
    : api.send<Named>('POST', path, body)
  return about(`${kind} ${name}`, saving)
}

/** A rule may name another channel, which must exist. */
export function withChannelId(
  current: Pick<CurrentConfig, 'channels'>,
  { channel, ...rule }: Record<string, unknown>,
): Record<string, unknown> {
  if (typeof channel !== 'string') return rule
  const found = findChannel(current, channel)
  if (!found) throw new Error(`A rule names the channel "${channel}", which does not exist.`)
  return { ...rule, channelId: found.id }
}

/** Only webhooks have rules. */
export function declaredOf(file: DeclaredFile, kind: 'webhook' | 'schedule'): DeclaredFile['webhooks'] {
  return kind === 'webhook' ? file.webhooks : file.schedules.map((one) => ({ ...one, rules: undefined }))
}

function outcome(before: Named | undefined, after: Named): 'created' | 'changed' | 'unchanged' {
  if (!before) return 'created'
  return stateOf(before) === stateOf(after) ? 'unchanged' : 'changed'
}

/** What is different after every change, also after one of a secret, which is never shown. */
function stateOf({ version, updatedAt, connectorIds, readsAcross, tools = [] }: Named): string {
  const list = tools as Named[] // the shape of a connector has a list of tools, other things have none
  const versions = list.map((tool) => [tool.id, tool.version])
  return JSON.stringify([version, updatedAt, connectorIds, readsAcross, versions])
}

/** Adds to an error which of the file's many things it is about. */
async function about<T>(thing: string, sending: Promise<T>): Promise<T> {
  try {
    return await sending
  } catch (cause) {
    throw new Error(`${thing}: ${cause instanceof Error ? cause.message : cause}`)
  }
}

function findChannel({ channels }: Pick<CurrentConfig, 'channels'>, name: string): Named | undefined {
  const called = channels.map((channel) => ({ ...channel, name: channelName(channel) }))
  // The bare name is enough if only one workspace has such a channel.
  return find(called, name, 'channel') ?? find(channels, name, 'channel')
}

async function createChannel(api: ManagementApi, current: CurrentConfig, name: string): Promise<Named> {
  if (name.includes(': ')) throw new Error(`No workspace that is connected has the channel "${name}".`)
  const created = await api.send<Named>('POST', '/channels', { name })
  current.channels.push(created)
  return created
}

function find(things: Named[], name: string, what: string): Named | undefined {
  const found = things.filter((thing) => thing.name === name)
  refuseSharedNames(what, found)
  return found[0]
}

function known(ids: Map<string, string>, name: string): string {
  const id = ids.get(name)
  if (!id)
    throw new Error(
      `The file names the connector "${name}", which it does not describe and Bellhop does not know.`,
    )
  return id
}
