import { runWithTimeout } from './run-with-timeout.ts'

/** A repeated group can take forever on a short text. A false positive only means the slower test. */
const repeatedGroup = /\)(?:[+*]|\{)/
const openRepetition = /[+*]|\{\d+,\}/g
/** With up to two open repetitions and no repeated group, a text of up to this length is always quick. */
const maxRepetitions = 2
const shortText = 256
const timeoutMs = 50

/** Whether the text matches is unknown. Neither answer would be safe: a schema may demand a match or forbid it. */
export class PatternTooSlow extends Error {
  constructor() {
    super('A pattern takes too long to test.')
    this.name = 'PatternTooSlow'
  }
}

/**
 * A pattern in a schema. The standard demands Unicode patterns; most published ones were never tested that way, so others are
 * accepted too. Patterns come from imported documents and texts from a model: together they must not block the process.
 */
export function boundedPattern(source: string, flags: string): { test(text: string): boolean } {
  const pattern = compile(source, flags)
  const repetitions = source.match(openRepetition)?.length ?? 0
  const isHarmless = !repeatedGroup.test(source) && repetitions <= maxRepetitions
  return {
    test: (text) => (isHarmless && text.length <= shortText ? pattern.test(text) : testInTime(pattern, text)),
  }
}

function testInTime(pattern: RegExp, text: string): boolean {
  const tested = runWithTimeout(timeoutMs, () => pattern.test(text))
  if (!tested.done) throw new PatternTooSlow()
  return tested.value
}

function compile(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags)
  } catch {
    return new RegExp(source)
  }
}
