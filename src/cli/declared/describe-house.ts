import { usualTimeoutMs } from '../../connectors/contract.ts'
import type { ManagementApi } from './management-api.ts'

type Fields = Record<string, unknown>
export type Named = Fields & { id: string; name: string }
export type House = { connectors: Named[]; webhooks: Named[]; channels: Named[] }
export type Declared = { connectors: Fields[]; channels: Fields[]; webhooks: Fields[] }

export async function readHouse(api: ManagementApi): Promise<House> {
  const [connectors, webhooks, channels] = await Promise.all([
    api.list<Named>('/connectors'),
    api.list<Named>('/webhooks'),
    api.list<Named>('/channels'),
  ])
  return { connectors, webhooks, channels }
}

const connectorFields = [
  'name',
  'type',
  'baseUrl',
  'url',
  'defaultHeaders',
  'authType',
  'authHeaderName',
  'authValue',
  'timeoutMs',
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
  'verification',
  'exposeHeaders',
  'rateLimit',
  'allowSilence',
  'deliveryId',
  'maxBodyBytes',
  'concurrency',
  'model',
  'runsPerHour',
  'costPerDay',
]

/** What a file says about the house as it is. Where a secret is set, it names the variable that the reader must fill. */
export function describeHouse({ connectors, webhooks, channels }: House): Declared {
  const nameOf = (things: Named[], id: unknown) => things.find((thing) => thing.id === id)?.name ?? id
  const scopeOf = ({ connectorIds }: Named) =>
    Array.isArray(connectorIds) ? connectorIds.map((id) => nameOf(connectors, id)) : null
  return {
    connectors: connectors.map((connector) => {
      const shown = pick(connector, connectorFields)
      const tools = (connector.tools ?? []) as Fields[] // the shape of a connector has a list of tools
      return {
        ...shown,
        authValue: secretOr(shown.authValue, variable(connector.name, 'AUTH_VALUE'), undefined),
        ...(shown.defaultHeaders
          ? { defaultHeaders: headers(connector.name, shown.defaultHeaders as Fields) }
          : {}),
        // Shown for every connector, but set only where it differs.
        timeoutMs: shown.timeoutMs === usualTimeoutMs ? undefined : shown.timeoutMs,
        ...(connector.type === 'http' ? { tools: tools.map(describeTool) } : {}),
      }
    }),
    // A channel needs no declaration to exist: webhooks name theirs.
    channels: channels
      .map((channel) => ({ name: channel.name, connectors: scopeOf(channel) }))
      .filter((channel) => channel.connectors !== null),
    webhooks: webhooks.map((webhook) => ({
      ...pick(webhook, webhookFields),
      channel: nameOf(channels, webhook.channelId),
      connectors: scopeOf(webhook),
      verification: describeVerification(webhook),
    })),
  }
}

function describeTool(tool: Fields): Fields {
  const { permission, ...shown } = pick(tool, toolFields)
  return { ...shown, ...(tool.permissionIsSet ? { permission } : {}) }
}

function headers(name: string, shown: Fields): Fields {
  return Object.fromEntries(
    Object.entries(shown).map(([header, value]) => [header, secretOr(value, variable(name, header), value)]),
  )
}

function describeVerification({ name, verification }: Named): unknown {
  if (typeof verification !== 'object' || verification === null) return null
  const { secrets, ...settings } = verification as Fields // an object, as just seen
  // Secrets never come back, only how many there are.
  const { count } = secrets as { count: number }
  const names = Array.from({ length: count }, (_, index) =>
    variable(name, index === 0 ? 'SECRET' : `SECRET_${index + 1}`),
  )
  return { ...settings, secrets: names }
}

/** `{"set":true}` stands for a secret that only the server knows. */
function secretOr(value: unknown, placeholder: string, otherwise: unknown): unknown {
  const isSet = typeof value === 'object' && value !== null && 'set' in value && value.set === true
  return isSet
    ? placeholder
    : typeof value === 'object' && value !== null && 'set' in value
      ? undefined
      : otherwise
}

function variable(...parts: string[]): string {
  return `\${${parts
    .join('_')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')}}`
}

function pick(thing: Fields, names: string[]): Fields {
  return Object.fromEntries(
    names.filter((name) => thing[name] !== undefined).map((name) => [name, thing[name]]),
  )
}
