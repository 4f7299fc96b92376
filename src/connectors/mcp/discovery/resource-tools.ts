import { createHash } from 'node:crypto'
import { isObject } from '../../../platform/json/is-object.ts'

/** A resource that is read, or a template of the addresses of many. */
export type ResourceAddress = { uri: string } | { uriTemplate: string }

const namePrefix = 'resource/'
const longestName = 90
/** Enough for whatever people would enable by hand; a server of files may list thousands. */
const mostResources = 200

/** Resources as entries of the list of tools, so that they are judged, pinned, enabled and called like tools. */
export function toResourceTools(
  resources: readonly unknown[],
  templates: readonly unknown[],
  variablesOf: (uriTemplate: string) => string[] | null,
): unknown[] {
  const entries = [
    ...resources.slice(0, mostResources).flatMap((one) => entryOf(one, 'uri', () => [])),
    ...templates.slice(0, mostResources).flatMap((one) => entryOf(one, 'uriTemplate', variablesOf)),
  ]
  const named = Map.groupBy(entries, ({ name }) => name)
  return entries.map(({ name, address, ...entry }) => ({
    // Not by their order, which a server may change.
    name: namePrefix + ((named.get(name)?.length ?? 0) > 1 ? `${name}-${shortHash(address)}` : name),
    ...entry,
  }))
}

/** Where the pinned entry of a resource is read; null for a tool. */
export function addressOf(name: string, pinned: Record<string, unknown>): ResourceAddress | null {
  const { resource } = pinned
  if (!name.startsWith(namePrefix) || !isObject(resource)) return null
  if (typeof resource.uri === 'string') return { uri: resource.uri }
  return typeof resource.uriTemplate === 'string' ? { uriTemplate: resource.uriTemplate } : null
}

function entryOf(
  raw: unknown,
  key: 'uri' | 'uriTemplate',
  variablesOf: (template: string) => string[] | null,
) {
  if (!isObject(raw)) return []
  const address = raw[key]
  if (typeof address !== 'string') return []
  const { name, title, description, mimeType } = raw
  const variables = variablesOf(address)
  if (!variables) return []
  const says = [`Reads ${address}`, typeof mimeType === 'string' ? ` (${mimeType})` : '', '.']
  if (typeof description === 'string' && description !== '') says.push(` ${description}`)
  return [
    {
      name: plain(typeof name === 'string' && name !== '' ? name : address),
      address,
      ...(typeof title === 'string' ? { title } : {}),
      description: says.join(''),
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(variables.map((one) => [one, { type: 'string' }])),
        required: variables,
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true },
      resource: { [key]: address },
    },
  ]
}

/** Names of resources are for people; those of tools have few characters. */
function plain(name: string): string {
  const words = name.replaceAll(/[^a-zA-Z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '')
  return words.slice(0, longestName).toLowerCase() || shortHash(name)
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}
