import { inTime } from './in-time.ts'

/** A repeated group can take for ever on a short text; what only looks like one is just tested the slower way. */
const repeatedGroup = /\)(?:[+*]|\{)/
const openRepetition = /[+*]|\{\d+,\}/g
/** With up to two open repetitions and no repeated group, a text up to this length is quick, whatever it holds. */
const maxRepetitions = 2
const shortText = 256
const timeoutMs = 50

/**
 * A pattern of a schema. The standard wants Unicode patterns; most published ones were never tried that way, so others pass, too.
 * Patterns come with imported documents and texts from a model: together they must not be able to stop the process.
 */
export function boundedPattern(source: string, flags: string): { test(text: string): boolean } {
  const pattern = compile(source, flags)
  const repetitions = source.match(openRepetition)?.length ?? 0
  const isHarmless = !repeatedGroup.test(source) && repetitions <= maxRepetitions
  return {
    test: (text) => (isHarmless && text.length <= shortText ? pattern.test(text) : testInTime(pattern, text)),
  }
}

/** A text that takes too long to test does not match. */
function testInTime(pattern: RegExp, text: string): boolean {
  const tested = inTime(timeoutMs, () => pattern.test(text))
  return tested.done && tested.value
}

function compile(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags)
  } catch {
    return new RegExp(source)
  }
}
