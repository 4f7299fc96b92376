import type { ToolResultPart } from 'ai'
import { isBuiltInTool } from '../built-in-tools/built-in-tools.ts'
import { type RequestedCall, type Step, toMessages } from '../loop/journal.ts'
import { measureMessages } from './measure-messages.ts'
import { resultPart } from './render-answer.ts'

/**
 * The steps of an earlier turn with as many answers of tools as fit, the newest first. In place of each other one stands how to
 * read it, so that the model still sees what was asked for.
 */
export function trimToolResults(steps: readonly Step[], maxBytes: number): Step[] {
  let left = maxBytes - measureMessages(toMessages(steps.map((step) => replaceAnswers(step, () => false))))
  return steps
    .toReversed()
    .map((step) =>
      replaceAnswers(step, (more) => {
        if (more > 0 && more > left) return false
        left -= more
        return true
      }),
    )
    .toReversed()
}

/** `keeps` is asked for each answer, the newest first, and told how much more room it takes than its note. */
function replaceAnswers(step: Step, keeps: (more: number) => boolean): Step {
  const shown = step.results?.toReversed().map((result) => {
    const call = step.calls.find(({ providerId }) => providerId === result.toolCallId)
    if (!call) return result
    const note = resultPart(call, { type: 'text', value: noteOf(call) })
    return keeps(measure(result) - measure(note)) ? result : note
  })
  return { ...step, results: shown?.toReversed() ?? null }
}

function noteOf({ callId, name, fault }: RequestedCall): string {
  return fault !== null || isBuiltInTool(name)
    ? 'This does not fit here any more.'
    : `This answer does not fit here any more. Read it with read_more, source ${JSON.stringify(callId)}.`
}

function measure(result: ToolResultPart): number {
  return measureMessages([{ role: 'tool', content: [result] }])
}
