import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { JsonSchema } from '../contract.ts'
import { findSchemaFaults } from '../schema/find-schema-faults.ts'

/** An entry of the server's list: what it is, and why it cannot be used, if so. */
export type JudgedTool = {
  name: string
  /** The whole object as text, its keys in the server's order. */
  text: string
  hash: string
  tool: { description: string; inputSchema: JsonSchema; outputSchema: JsonSchema | null } | null
  reason: string | null
}

const maxToolBytes = 256 * 1024

/**
 * One bad entry hides no other. `decided` are the names a person has decided about: a newcomer that looks like one of
 * them is refused; where all of a group are new, nobody can say which one is meant, and all are.
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

  const judged: JudgedTool[] = []
  for (const [index, entry] of raw.entries()) {
    const name = names[index] ?? null
    const text = JSON.stringify(entry) ?? 'null'
    const hash = hashTool(text)
    if (name === null || !isObject(entry)) {
      judged.push(refused('', text, hash, 'This entry of the list has no name.'))
      continue
    }
    const reason =
      refuseName(name, counts, groups.get(foldName(name)) ?? [], decided) ??
      (text.length > maxToolBytes ? 'Its description and schemas are larger than 256 KiB.' : null) ??
      // What was usable once is so again; a thousand schemas need not be compiled at each refresh.
      refuseShape(entry, knownHashes.has(hash))
    judged.push(
      reason === null
        ? { name, text, hash, reason, tool: partsOf(entry) }
        : refused(name.slice(0, 200), text, hash, reason),
    )
    // Others get their turn between two schemas.
    if (!knownHashes.has(hash)) await setImmediate()
  }
  return judged
}

function hashTool(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/** What a hurried reader, and a model provider, would take for the same name. */
function foldName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
}

/** The characters of the MCP specification become those that every model provider takes. */
export function plainName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_')
}

function refuseName(
  name: string,
  counts: ReadonlyMap<string, number>,
  group: readonly string[],
  decided: ReadonlySet<string>,
): string | null {
  const strange = [...name].find((character) => !/[a-zA-Z0-9_./-]/.test(character))
  if (strange !== undefined) {
    const point = (strange.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return `Its name holds a character (U+${point}) other than letters a to z, digits, "_", "-", "." and "/".`
  }
  if (name.length === 0 || name.length > 128) return 'Its name has not 1 to 128 characters.'
  const times = counts.get(name) ?? 0
  if (times > 1)
    return `The server lists ${times} tools with this name, so nobody can say which one is meant.`
  const others = group.filter((other) => other !== name)
  const rival = others.find((other) => decided.has(other)) ?? others[0]
  if (rival === undefined || decided.has(name)) return null
  return `Its name looks like ${rival}, another tool of this server.`
}

function refuseShape(raw: Record<string, unknown>, isKnown: boolean): string | null {
  const { description, inputSchema, outputSchema } = raw
  if (description !== undefined && typeof description !== 'string') return 'Its description is not a text.'
  if (description?.includes('\0')) return 'Its description holds a NUL character.'
  if (!isObject(inputSchema)) return 'It has no inputSchema.'
  if (inputSchema.type !== 'object') return 'Its inputSchema is not of the type "object".'
  if (outputSchema !== undefined && !isObject(outputSchema)) return 'Its outputSchema is not an object.'
  if (isKnown) return null
  for (const [field, schema] of [
    ['inputSchema', inputSchema] as const,
    ['outputSchema', outputSchema] as const,
  ]) {
    const [fault] = isObject(schema) ? findSchemaFaults(schema) : []
    if (fault)
      return `Its ${field} cannot be used: ${fault.pointer ? `${fault.pointer}: ` : ''}${fault.detail}`
  }
  return null
}

/** Called for what `refuseShape` lets pass. */
function partsOf({ description, inputSchema, outputSchema }: Record<string, unknown>): JudgedTool['tool'] {
  return {
    description: typeof description === 'string' ? description : '',
    inputSchema: isObject(inputSchema) ? inputSchema : {},
    outputSchema: isObject(outputSchema) ? outputSchema : null,
  }
}

function refused(name: string, text: string, hash: string, reason: string): JudgedTool {
  return { name, text, hash, reason, tool: null }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
