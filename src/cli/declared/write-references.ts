import { isObject } from '../../platform/json/is-object.ts'

/** Stands for a secret: the name of the variable that holds it. */
export class Reference {
  readonly name: string

  constructor(...parts: string[]) {
    this.name = parts
      .join('_')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_')
      .replace(/^(?=\d)/, '_')
  }
}

/** Writes a reference as `${NAME}`; in a text that merely looks like one, the `$` is doubled. */
export function asWritten(value: unknown, taken: Set<string>): unknown {
  if (value instanceof Reference) return `\${${ownName(value, taken)}}`
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  // Lists are newest first. From the oldest on, so that existing references keep their names when a new thing is added.
  if (Array.isArray(value))
    return value
      .toReversed()
      .map((inner) => asWritten(inner, taken))
      .toReversed()
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, asWritten(inner, taken)]))
}

/** References that would have the same name get a number, so that none gets another's secret. */
function ownName({ name }: Reference, taken: Set<string>): string {
  let own = name
  for (let n = 2; taken.has(own); n++) own = `${name}_${n}`
  taken.add(own)
  return own
}
