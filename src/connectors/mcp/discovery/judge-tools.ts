import { createHash } from 'node:crypto'
import { isDeeperThan, writableDepth } from '../../../platform/json/is-deeper-than.ts'
import { isObject } from '../../../platform/json/is-object.ts'
import type { JsonSchema } from '../../contract.ts'
import { compileToolSchemas } from './compile-tool-schemas.ts'

/** An entry of the server's list, with the reason if it cannot be used. */
export type JudgedTool = {
  name: string
  /** The whole object as text, with keys in the server's order. */
  text: string
  hash: string
  tool: { description: string; inputSchema: JsonSchema; outputSchema: JsonSchema | null } | null
  reason: string | null
}

const maxToolBytes = 256 * 1024
const longestName = 128

/**
 * One bad entry does not affect the others. `decided` are the names that a person has decided about: a new name that looks like
 * one of them is refused. If several new names look alike, all of them are refused.
 */
export async function judgeTools(
  raw: readonly unknown[],
  decided: ReadonlySet<string>,
  knownHashes: ReadonlySet<string>,
): Promise<JudgedTool[]> {
  const names = raw.map((entry) => (isObject(entry) && typeof entry.name === 'string' ? entry.name : null))
  const counts = new Map<string, number>()
  for (const name of names) if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1)
  const groups = Map.groupBy(new Set([...counts.keys(), ...decided]), foldName)

  const entries = raw.map((entry, index) => {
    const name = names[index] ?? null
    const isTooDeep = isDeeperThan(entry, writableDepth)
    const text = isTooDeep ? JSON.stringify({ name }) : (JSON.stringify(entry) ?? 'null')
    const reason =
      name === null
        ? 'This entry of the list has no name.'
        : (refuseName(name, counts, groups.get(foldName(name)) ?? [], decided) ??
          (text.length > maxToolBytes ? 'Its description and schemas are larger than 256 KiB.' : null) ??
          (isTooDeep ? `It is nested deeper than ${writableDepth} levels.` : null))
    return { entry, name: name ?? '', text, hash: hashTool(text), reason }
  })
  // An object that was usable before still is, so its schemas need not be compiled at every refresh.
  const unknown = entries.filter(({ reason, hash }) => reason === null && !knownHashes.has(hash))
  const faults = await compileToolSchemas(unknown.map(({ text }) => text))
  for (const [index, entry] of unknown.entries()) entry.reason = faults[index] ?? null
  return entries.map(({ entry, name, text, hash, reason }) => ({
    name: reason === null ? name : name.slice(0, 200),
    text,
    hash,
    reason,
    tool: reason === null && isObject(entry) ? partsOf(entry) : null,
  }))
}

function hashTool(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/** Names that a reader or a model provider would take for the same have the same fold. */
function foldName(name: string): string {
  return name
    .slice(0, 2 * longestName)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
}

/** Replaces characters that the MCP specification allows but model providers do not. */
export function plainName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_')
}

function refuseName(
  name: string,
  counts: ReadonlyMap<string, number>,
  group: readonly string[],
  decided: ReadonlySet<string>,
): string | null {
  // Checked first: scanning a name of a million characters takes long.
  if (name.length === 0 || name.length > longestName) return 'Its name must have 1 to 128 characters.'
  const strange = [...name].find((character) => !/[a-zA-Z0-9_./-]/.test(character))
  if (strange !== undefined) {
    const point = (strange.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return `Its name holds a character (U+${point}) other than letters a to z, digits, "_", "-", "." and "/".`
  }
  const times = counts.get(name) ?? 0
  if (times > 1) return `The server lists ${times} tools with this name, so it is unclear which one is meant.`
  const others = group.filter((other) => other !== name)
  const rival = others.find((other) => decided.has(other)) ?? others[0]
  if (rival === undefined || decided.has(name)) return null
  return `Its name looks like ${rival}, another tool of this server.`
}

/** Only called for entries that passed `judgeShape`. */
function partsOf({ description, inputSchema, outputSchema }: Record<string, unknown>): JudgedTool['tool'] {
  return {
    description: typeof description === 'string' ? description : '',
    inputSchema: isObject(inputSchema) ? inputSchema : {},
    outputSchema: isObject(outputSchema) ? outputSchema : null,
  }
}
