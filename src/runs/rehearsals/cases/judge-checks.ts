import { canonicalJson } from '../../../platform/json/canonical-json.ts'
import { resolvePointer } from '../../../platform/json/resolve-pointer.ts'
import { roundNumbers } from '../../../platform/json/round-numbers.ts'
import type { Behaviour } from '../contract.ts'
import type { Check, JudgedCheck } from './contract.ts'

type Seen = Pick<Behaviour, 'ended' | 'reply'> & { calls: readonly { name: string; input: unknown }[] }

/** A run that failed proves nothing, so no check passes: not even that it did not call a tool. */
export function judgeChecks(checks: readonly Check[], seen: Seen): JudgedCheck[] {
  const isOver = seen.ended === 'succeeded' || seen.ended === 'skipped' || seen.ended === 'notified'
  return checks.map((check) => ({ ...check, passed: isOver && holds(check, seen) }))
}

function holds(check: Check, { ended, reply, calls }: Seen): boolean {
  switch (check.must) {
    case 'call':
      return callsOf(check.tool).length > 0
    case 'notCall':
      return callsOf(check.tool).length === 0
    case 'mention':
      return plain(reply ?? '').includes(plain(check.text))
    case 'equal': {
      const steps = check.pointer.split('/').slice(1)
      const found = callsOf(check.tool).map(({ input }) => resolvePointer(input, steps))
      // 49 and 49.00 are the same amount.
      const wanted = canonicalJson(roundNumbers(check.value))
      return (
        found.length > 0 &&
        found.every((value) => value !== undefined && canonicalJson(roundNumbers(value)) === wanted)
      )
    }
    case 'notReply':
      return reply === null && ended !== 'notified'
    default:
      throw new Error(`Unhandled check ${check satisfies never}`)
  }

  function callsOf(tool: string) {
    return calls.filter(({ name }) => name === tool)
  }
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().toLowerCase()
}
