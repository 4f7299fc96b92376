import { wrapLanguageModel } from 'ai'
import { cutNesting } from '../platform/json/cut-nesting.ts'
import { writableDepth } from '../platform/json/is-deeper-than.ts'
import type { LanguageModelV4 } from './model.ts'

type Content = Awaited<ReturnType<LanguageModelV4['doGenerate']>>['content']

/** Far more than a step ever has. Further calls are dropped: the SDK's time grows with the square of their number. */
const maxCalls = 256

/** The same model, without what cannot be stored or sent back to it, whichever provider wrote it. */
export function tidyContent(model: LanguageModelV4): LanguageModelV4 {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapGenerate({ doGenerate }) {
        const answer = await doGenerate()
        return { ...answer, content: tidy(answer.content) }
      },
    },
  })
}

function tidy(content: Content): Content {
  const ids = new Set<string>()
  return content.flatMap((part) => {
    // Claude sometimes writes white space before a call, and is refused with it. What bears a signature must be sent back unchanged.
    if (part.type === 'text' && part.text.trim() === '' && !part.providerMetadata) return []
    if (part.type !== 'tool-call' || part.providerExecuted) return [part]
    if (ids.size === maxCalls) return []
    // Some servers give all calls the same id, or an empty one; the SDK would take each for the first.
    const isOwn = part.toolCallId !== '' && !ids.has(part.toolCallId)
    const toolCallId = isOwn ? part.toolCallId : `${part.toolCallId}_${ids.size + 1}`
    ids.add(toolCallId)
    return [{ ...part, toolCallId, input: isReadable(part.input) ? part.input : unreadable }]
  })
}

/** Deeper nesting could be saved but not read again, and the run could neither continue nor be shown. */
function isReadable(input: string): boolean {
  return cutNesting(input, writableDepth) === input
}

/** Not JSON, so the call is not made and the model is told. */
const unreadable = `(nested deeper than ${writableDepth} levels)`
