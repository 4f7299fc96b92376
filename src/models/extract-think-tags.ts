import { type Content, changeContent } from './change-content.ts'
import type { LanguageModelV4 } from './model.ts'

/** At the beginning of a text; without an end if the model reached its limit while it thought. */
const thoughts = /^\s*<think>([\s\S]*?)(?:<\/think>|$)/

/**
 * A server that does not know its model's format (vLLM without a reasoning parser) leaves what the model thought in the text. It
 * is reasoning like any other: not part of the reply. The SDK's own middleware would also take out what is quoted further down, and
 * leaves thoughts without an end in the text.
 */
export function extractThinkTags(model: LanguageModelV4): LanguageModelV4 {
  return changeContent(model, (content) => content.flatMap(split))
}

function split(part: Content[number]): Content {
  const found = part.type === 'text' ? thoughts.exec(part.text) : null
  if (part.type !== 'text' || found === null) return [part]
  const [whole, text = ''] = found
  return [
    { type: 'reasoning', text },
    { ...part, text: part.text.slice(whole.length).trimStart() },
  ]
}
