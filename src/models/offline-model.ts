import type { LanguageModelV4 } from './model.ts'
import { fillInputs } from './offline/fill-inputs.ts'
import { type UsedTool, writeDigest } from './offline/write-digest.ts'
import type { NumberPreserver } from './preserve-numbers.ts'

/** What the offline agent is given beside the messages, which it cannot understand. */
export type OfflineInput = {
  /** The body of the event as text. */
  event: string | null
  /** The tools that need no approval. */
  readTools: string[]
}

type CallOptions = Parameters<LanguageModelV4['doGenerate']>[0]
type Generated = Awaited<ReturnType<LanguageModelV4['doGenerate']>>

/**
 * A small deterministic agent for installations without a language model. It has a provider's interface, so its runs go through
 * the same loop: first it calls the tools whose inputs it can fill, then it writes a digest.
 */
export function createOfflineModel(numbers: Pick<NumberPreserver, 'packText'>): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: 'offline',
    modelId: 'offline',
    supportedUrls: {},
    async doGenerate(options) {
      const input = readInput(options)
      const used = usedTools(options)
      const calls = used.length > 0 ? [] : chooseCalls(options, input, numbers)
      if (calls.length === 0) return answer([{ type: 'text', text: writeDigest(input.event, used) }], 'stop')
      return answer(calls, 'tool-calls')
    },
    doStream() {
      throw new Error('The offline agent does not stream.')
    },
  }
}

function readInput({ providerOptions }: CallOptions): OfflineInput {
  const input = providerOptions?.offline as OfflineInput | undefined // src/runs/loop/model-calls/call-model.ts puts it there
  return input ?? { event: null, readTools: [] }
}

function chooseCalls(
  { tools = [] }: CallOptions,
  { event, readTools }: OfflineInput,
  { packText }: Pick<NumberPreserver, 'packText'>,
): Generated['content'] {
  const allowed = new Set(readTools)
  const offered = tools.flatMap((tool) => (tool.type === 'function' && allowed.has(tool.name) ? [tool] : []))
  return fillInputs(offered, event ?? '').map(({ toolName, input }, index) => ({
    type: 'tool-call',
    toolCallId: `offline_${index + 1}`,
    toolName,
    input: packText(input),
  }))
}

/** The tools' answers since the last message of a person or an event. */
function usedTools({ prompt }: CallOptions): UsedTool[] {
  const since = prompt.slice(prompt.findLastIndex(({ role }) => role === 'user') + 1)
  return since.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) =>
          part.type === 'tool-result' && (part.output.type === 'text' || part.output.type === 'error-text')
            ? [{ name: part.toolName, text: part.output.value }]
            : [],
        )
      : [],
  )
}

function answer(content: Generated['content'], reason: 'stop' | 'tool-calls'): Generated {
  const none = { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 }
  return {
    content,
    finishReason: { unified: reason, raw: reason },
    usage: { inputTokens: none, outputTokens: { total: 0, text: 0, reasoning: 0 } },
    warnings: [],
  }
}
