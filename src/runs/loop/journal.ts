import type { AssistantModelMessage, ModelMessage, ToolModelMessage, ToolResultPart } from 'ai'
import type { ToolCallId } from '../../shared/ids.ts'

/** One request of the model to use a tool. */
export type RequestedCall = {
  /** Our id, by which the gate knows the call. */
  callId: ToolCallId
  /** The provider's id, by which the model recognises the answer. */
  providerId: string
  name: string
  input: unknown
  /** Why it cannot be parsed; the model is told. */
  fault: string | null
}

/** One call of the model: its answer, and the results of the tools it asked for. */
export type Step = {
  seq: number
  answer: AssistantModelMessage[]
  calls: RequestedCall[]
  /** Null until every call of the step is answered. */
  results: ToolResultPart[] | null
  finishReason: string
  /** Which model answered. */
  model: { provider: string; name: string }
  usage: Usage
  modelMs: number
  startedAt: Date
  endedAt: Date
}

export type Usage = { inputTokens: number; outputTokens: number; cost: number }

const nudge: ModelMessage = {
  role: 'user',
  content: 'Your last answer was empty. Write the reply now, or call a tool.',
}

/** The steps so far, as messages for the model. */
export function toMessages(steps: readonly Step[]): ModelMessage[] {
  return steps.flatMap((step): ModelMessage[] => {
    // A step without calls that another step follows was an empty answer. It may contain reasoning, and providers refuse
    // reasoning that leads to nothing.
    if (step.calls.length === 0) return [nudge]
    // A call without a result cannot be shown: every provider refuses it.
    if (!step.results) return []
    const results: ToolModelMessage = { role: 'tool', content: step.results }
    return [...step.answer, results]
  })
}

/** What the model wrote for people in this step. */
export function textOf(step: Step): string {
  return step.answer
    .flatMap(({ content }) =>
      typeof content === 'string'
        ? [content]
        : content.map((part) => (part.type === 'text' ? part.text : '')),
    )
    .filter(Boolean)
    .join('\n\n')
    .trim()
}
