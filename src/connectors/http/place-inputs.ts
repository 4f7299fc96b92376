import type { Location, Method, Style } from '../contract.ts'

type Place = 'path' | 'query' | 'header' | 'body' | 'wholeBody'
/** Without a style, lists repeat their name in a query and have brackets in a form. */
export type PlacedInput = { property: string; place: Place; name: string; style?: Style; value: unknown }

type Tool = { method: Method; path: string; locations: Readonly<Record<string, Location>> }

const placeholder = /\{([^{}]+)\}/g

/** The names in `{braces}`, each once. */
export function placeholdersOf(path: string): string[] {
  return [...new Set(Array.from(path.matchAll(placeholder), (match) => match[1] ?? ''))]
}

export function fillPlaceholders(path: string, fill: (name: string) => string): string {
  return path.replaceAll(placeholder, (_match, name: string) => fill(name))
}

/** Every input goes to exactly one place: the path if it is named there, else where `locations` says, else where the method puts it. */
export function placeOf(tool: Tool, property: string): Omit<PlacedInput, 'value'> {
  if (isNamedIn(tool.path, property)) {
    return { property, place: 'path', name: property }
  }
  const given = Object.hasOwn(tool.locations, property) ? tool.locations[property] : undefined
  const { in: place, name = property, style } = typeof given === 'object' ? given : { in: given }
  return { property, place: place ?? defaultPlace(tool.method), name, ...(style ? { style } : {}) }
}

/** Does not parse the path: a schema may have thousands of inputs, and each is looked up at every call. */
function isNamedIn(path: string, property: string): boolean {
  return path.includes(`{${property}}`) && !/[{}]/.test(property)
}

/** An input that is `undefined` is absent; `null` is a value. */
export function placeInputs(tool: Tool, input: Readonly<Record<string, unknown>>): PlacedInput[] {
  return Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .map(([property, value]) => ({ ...placeOf(tool, property), value }))
}

/** Where an input goes if `locations` does not mention it. */
export function defaultPlace(method: Method): 'query' | 'body' {
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? 'body' : 'query'
}
