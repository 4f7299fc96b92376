import { cutNesting } from '../platform/json/cut-nesting.ts'
import { writableDepth } from '../platform/json/is-deeper-than.ts'
import { type Content, changeContent } from './change-content.ts'
import type { LanguageModelV4 } from './model.ts'

/** Far more than a step ever has. Further calls are dropped: the SDK's time grows with the square of their number. */
const maxCalls = 256

/**
 * Some servers give all calls the same id, or an empty one; the SDK would take each for the first. Text that is only white space,
 * which Claude sometimes writes before a call, is refused when it is sent back. And a model may nest an input without end.
 */
export function tidyAnswers(model: LanguageModelV4): LanguageModelV4 {
  return changeContent(model, tidy)
}

/** Deeper nesting could be saved but not read again, and the run could neither continue nor be shown. */
function isReadable(input: string): boolean {
  return cutNesting(input, writableDepth) === input
}

/** Not JSON, so the call is not made and the model is told. */
const unreadable = `(nested deeper than ${writableDepth} levels)`

function tidy(content: Content): Content {
  const ids = new Set<string>()
  return content.flatMap((part) => {
    // A part with the provider's signature must be sent back unchanged.
    if (part.type === 'text' && part.text.trim() === '' && !part.providerMetadata) return []
    if (part.type !== 'tool-call' || part.providerExecuted) return [part]
    if (ids.size === maxCalls) return []
    const isOwn = part.toolCallId !== '' && !ids.has(part.toolCallId)
    const toolCallId = isOwn ? part.toolCallId : `${part.toolCallId}_${ids.size + 1}`
    ids.add(toolCallId)
    return [{ ...part, toolCallId, input: isReadable(part.input) ? part.input : unreadable }]
  })
}
