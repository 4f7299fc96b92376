import { isObject } from '../platform/json/is-object.ts'
import { isRawNumber } from '../platform/json/parse-exact-json.ts'

type Json = Record<string, unknown>

/** Anthropic's Messages and OpenAI's Responses: without these two, the SDK reads nothing of the answer. */
const needed = { input_tokens: 0, output_tokens: 0 }

/** Only the counts that are numbers: an answer is paid for, whatever is wrong with its counts. */
export function repairUsage(document: Json): Json {
  const { type, usage, usageMetadata } = document
  return {
    ...document,
    ...(usage === undefined && type !== 'message' ? {} : { usage: { ...needed, ...countsIn(usage) } }),
    ...(usageMetadata === undefined ? {} : { usageMetadata: countsIn(usageMetadata) }),
  }
}

function countsIn(usage: unknown): Json {
  if (!isObject(usage)) return {}
  return Object.fromEntries(
    Object.entries(usage).flatMap(([name, value]) => {
      const count = isRawNumber(value) ? Number(value.rawJSON) : value
      if (isObject(count)) return [[name, countsIn(count)]]
      return Number.isFinite(count) ? [[name, count]] : []
    }),
  )
}
