import { canonicalJson } from '../../platform/json/canonical-json.ts'
import type { Behaviour, Outcome, RehearsedEvent } from './contract.ts'

type Compared = Pick<Behaviour, 'ended' | 'reply' | 'writes' | 'notRecorded'>
type Verdict = { outcome: Outcome } & Pick<RehearsedEvent, 'newWrites' | 'goneWrites'>

/**
 * The worst difference decides. Writes are compared by tool and input, whatever their order; replies without regard to white space.
 * Where the recording lacked an answer, a missing write or another reply proves nothing, so that is told before them.
 */
export function compareBehaviours(before: Compared | null, after: Compared): Verdict {
  const newWrites = without(after.writes, before?.writes ?? [])
  const goneWrites = without(before?.writes ?? [], after.writes)
  return { outcome: outcomeOf(), newWrites, goneWrites }

  function outcomeOf(): Outcome {
    if (newWrites.length > 0) return 'newWrite'
    if (after.ended === 'failed' || after.ended === 'cancelled') return 'failed'
    if (after.notRecorded.length > 0) return 'notRecorded'
    if (goneWrites.length > 0) return 'writeGone'
    if (!before || before.ended !== after.ended) return 'replyDiffers'
    return wordsOf(before.reply) === wordsOf(after.reply) ? 'same' : 'replyDiffers'
  }
}

type Calls = Behaviour['writes']

/** What is left of the calls once each of the others has taken its like away. */
function without(calls: Calls, others: Calls): Calls {
  const taken = others.map(keyOf)
  return calls.filter((call) => {
    const place = taken.indexOf(keyOf(call))
    if (place < 0) return true
    taken.splice(place, 1)
    return false
  })
}

function keyOf({ tool, input }: Calls[number]): string {
  return `${tool} ${canonicalJson(input)}`
}

function wordsOf(reply: string | null): string {
  return (reply ?? '').replaceAll(/\s+/g, ' ').trim()
}
