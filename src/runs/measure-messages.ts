import type { ModelMessage, ToolResultPart } from 'ai'

type Part = Exclude<ModelMessage['content'], string>[number]

/** Providers count an image by its area, whatever its bytes: about 1,600 tokens at most, at three characters each. */
const imageChars = 4800

/** The room that messages take up in a context window, in characters. */
export function measureMessages(messages: readonly ModelMessage[]): number {
  return sumOf(messages, ({ content }) =>
    typeof content === 'string' ? content.length : sumOf<Part>(content, measurePart),
  )
}

function measurePart(part: Part): number {
  if (part.type === 'text') return part.text.length
  return part.type === 'tool-result' ? measureOutput(part.output) : JSON.stringify(part).length
}

function measureOutput(output: ToolResultPart['output']): number {
  if (output.type === 'text' || output.type === 'error-text') return output.value.length
  if (output.type !== 'content') return JSON.stringify(output).length
  return sumOf(output.value, (item) => (item.type === 'text' ? item.text.length : imageChars))
}

function sumOf<T>(items: readonly T[], measure: (item: T) => number): number {
  return items.reduce((sum, item) => sum + measure(item), 0)
}
