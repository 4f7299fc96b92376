import { parseExactJson } from '../../platform/json/parse-exact-json.ts'
import { roundNumbers } from '../../platform/json/round-numbers.ts'

type Fields = Record<string, unknown>

/**
 * What a client sent, parsed for the SDK, which would round long numbers: the input of a tool keeps them as they are written.
 * Undefined if the text is not JSON.
 */
export function readMessage(text: string): unknown {
  const message = parseExactJson(text)
  return Array.isArray(message) ? message.map(roundAround) : roundAround(message)
}

function roundAround(message: unknown): unknown {
  const rounded = roundNumbers(message)
  if (!isFields(message) || !isFields(message.params) || !isFields(rounded) || !isFields(rounded.params)) {
    return rounded
  }
  const { arguments: input } = message.params
  return input === undefined ? rounded : { ...rounded, params: { ...rounded.params, arguments: input } }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
