import type { ModelMessage, ToolResultPart } from 'ai'

type Part = Exclude<ModelMessage['content'], string>[number]

/** Providers count an image by its area, whatever its bytes: about 1,600 tokens at most, at three bytes each. */
const imageBytes = 4800

/** The room that messages take up in a context window, in bytes of UTF-8. */
export function measureMessages(messages: readonly ModelMessage[]): number {
  return sumOf(messages, ({ content }) =>
    typeof content === 'string' ? Buffer.byteLength(content) : sumOf<Part>(content, measurePart),
  )
}

function measurePart(part: Part): number {
  if (part.type === 'text') return Buffer.byteLength(part.text)
  if (part.type === 'file') return imageBytes
  return part.type === 'tool-result' ? measureOutput(part.output) : Buffer.byteLength(JSON.stringify(part))
}

function measureOutput(output: ToolResultPart['output']): number {
  if (output.type === 'text' || output.type === 'error-text') return Buffer.byteLength(output.value)
  if (output.type !== 'content') return Buffer.byteLength(JSON.stringify(output))
  return sumOf(output.value, (item) => (item.type === 'text' ? Buffer.byteLength(item.text) : imageBytes))
}

function sumOf<T>(items: readonly T[], measure: (item: T) => number): number {
  return items.reduce((sum, item) => sum + measure(item), 0)
}
