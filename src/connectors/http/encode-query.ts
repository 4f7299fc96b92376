import { isRawNumber } from '../../platform/json/parse-exact-json.ts'
import type { Style } from '../contract.ts'

/** One input as `name=value` pairs, percent-encoded. Lists repeat the name and objects are JSON, unless the style says otherwise. */
export function encodeQuery(name: string, value: unknown, style: Style): string[] {
  return pairs(name, value, style).map(
    ([key, text]) => `${encodeURIComponent(key)}=${encodeURIComponent(text)}`,
  )
}

function pairs(name: string, value: unknown, style: Style): [string, string][] {
  if (style === 'brackets') return bracketPairs(name, value)
  if (style === 'json' || !Array.isArray(value)) return [[name, asText(value)]]
  if (style === 'repeat') return value.map((item) => [name, asText(item)])
  return value.length === 0 ? [] : [[name, value.map(asText).join(between[style])]]
}

const between = { comma: ',', pipe: '|', space: ' ' } as const

/** `filter[status]=open`, `items[0][id]=7`, `tags[]=a`: how PHP, Rails and many form APIs spell nested values. */
function bracketPairs(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      bracketPairs(
        typeof item === 'object' && item !== null && !isRawNumber(item) ? `${name}[${index}]` : `${name}[]`,
        item,
      ),
    )
  }
  if (typeof value === 'object' && value !== null && !isRawNumber(value)) {
    return Object.entries(value).flatMap(([key, inner]) => bracketPairs(`${name}[${key}]`, inner))
  }
  return [[name, value === null ? '' : asText(value)]]
}

/** Text as it is, everything else as JSON. */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
