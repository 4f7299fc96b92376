import { isObject } from '../../../platform/json/is-object.ts'
import { isRawNumber } from '../../../platform/json/parse-exact-json.ts'

type HeaderInput = { path: readonly string[]; header: string }
type Found = { inputs: HeaderInput[]; fault: string | null }

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const types = new Set<unknown>(['string', 'integer', 'boolean'])

/** The inputs that the revision 2026-07-28 also sends as headers (`x-mcp-header`), and what is wrong with how a schema says so. */
export function findHeaderInputs(schema: unknown): Found {
  const found: Found = { inputs: [], fault: null }
  visit(schema, [], true, found)
  const names = found.inputs.map(({ header }) => header.toLowerCase())
  const isTwice = new Set(names).size < names.length
  return { ...found, fault: found.fault ?? (isTwice ? 'It sends two inputs as the same header.' : null) }
}

/** Only a property of properties has one value in the arguments; anything below a list or an alternative has not. */
function visit(node: unknown, path: string[], isProperty: boolean, found: Found): void {
  if (Array.isArray(node)) for (const one of node) visit(one, path, false, found)
  if (!isObject(node)) return
  const { 'x-mcp-header': header, properties, type } = node
  if (header !== undefined) {
    const isName = typeof header === 'string' && token.test(header)
    if (!isName) found.fault ??= 'An input names a header (x-mcp-header) that cannot be one.'
    else if (!isProperty || path.length === 0 || !types.has(type))
      found.fault ??= `Its header ${header} (x-mcp-header) is not of a text, an integer or a boolean that has one place.`
    else found.inputs.push({ path, header })
  }
  for (const [key, child] of Object.entries(node)) {
    if (key === 'properties' || !schemaKeywords.has(key)) continue
    const isNamed = namedSchemas.has(key) && isObject(child)
    for (const one of isNamed ? Object.values(child) : [child]) visit(one, path, false, found)
  }
  if (isObject(properties))
    for (const [name, child] of Object.entries(properties)) visit(child, [...path, name], isProperty, found)
}

const namedSchemas = new Set(['patternProperties', 'dependentSchemas', '$defs', 'definitions'])
/** Elsewhere, such as in an example, a key of this name means nothing. */
const schemaKeywords = new Set(
  [
    ...namedSchemas,
    'items prefixItems contains additionalProperties unevaluatedProperties unevaluatedItems propertyNames'.split(
      ' ',
    ),
    'oneOf anyOf allOf not if then else'.split(' '),
  ].flat(),
)

/** `Mcp-Param-…` with the value of each such input that is given. */
export function headersForInputs(schema: unknown, input: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    findHeaderInputs(schema).inputs.flatMap(({ path, header }) => {
      const value = path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), input)
      const isPlain = typeof value === 'number' || typeof value === 'boolean' || isRawNumber(value)
      const text = typeof value === 'string' ? value : isPlain ? JSON.stringify(value) : null
      return text === null ? [] : [[`Mcp-Param-${header}`, encodeHeader(text)]]
    }),
  )
}

/** What a header cannot carry, or what would read as if it were encoded, is encoded. */
function encodeHeader(text: string): string {
  const isSafe = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
  return isSafe ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}
