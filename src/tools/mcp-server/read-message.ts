import { isObject } from '../../platform/json/is-object.ts'
import { parseExactJson } from '../../platform/json/parse-exact-json.ts'
import { roundNumbers } from '../../platform/json/round-numbers.ts'

/**
 * Parses a client's message for the SDK. The SDK would round long numbers; in a tool's input they stay as written. Undefined if
 * the text is not JSON.
 */
export function readMessage(text: string): unknown {
  const message = parseExactJson(text)
  return Array.isArray(message) ? message.map(roundAround) : roundAround(message)
}

function roundAround(message: unknown): unknown {
  const rounded = roundNumbers(message)
  if (!isObject(message) || !isObject(message.params) || !isObject(rounded) || !isObject(rounded.params)) {
    return rounded
  }
  const { arguments: input } = message.params
  return input === undefined ? rounded : { ...rounded, params: { ...rounded.params, arguments: input } }
}
