import { isSilence } from '../../prompt/silence.ts'
import { type Step, textOf } from '../journal.ts'

type StepVerdict =
  | { kind: 'continue' }
  | { kind: 'reply'; reply: { kind: 'answer' | 'silence'; text: string } }
  | { kind: 'fail'; code: 'model_refused' | 'empty_answer'; message: string }

/** The same as for a person's message. The whole answer stays in the journal. */
const longestReply = 40_000

const silence: StepVerdict = { kind: 'reply', reply: { kind: 'silence', text: '' } }

/** What an answer of the model means for the run. Pure on purpose: every case is named here. */
export function interpretStep(step: Step, before: readonly Step[], allowSilence: boolean): StepVerdict {
  if (step.finishReason === 'content-filter') {
    return { kind: 'fail', code: 'model_refused', message: 'The model declined to answer this.' }
  }
  if (step.calls.length > 0) return { kind: 'continue' }
  const text = textOf(step)
  if (text === '') {
    const last = before.at(-1)
    const nudged = last !== undefined && last.calls.length === 0
    if (!nudged) return { kind: 'continue' }
    // If silence is allowed, two empty answers mean silence.
    if (allowSilence) return silence
    const message =
      step.finishReason === 'length'
        ? 'The model reached the limit of its answer before it wrote anything, twice in a row.'
        : 'The model gave an empty answer, twice in a row.'
    return { kind: 'fail', code: 'empty_answer', message }
  }
  if (allowSilence && isSilence(text)) return silence
  return { kind: 'reply', reply: { kind: 'answer', text: withEnding(text, step.finishReason) } }
}

function withEnding(text: string, finishReason: string): string {
  if (text.length > longestReply) {
    return `${text.slice(0, longestReply).toWellFormed()}\n\n_(cut off: the answer is longer than a message can be)_`
  }
  return finishReason === 'length' ? `${text}\n\n_(cut off: the model reached its limit)_` : text
}
