import { APICallError, wrapLanguageModel } from 'ai'
import type { LanguageModelV4 } from './model.ts'

type CallOptions = Parameters<LanguageModelV4['doGenerate']>[0]

/** Groq: "property 'reasoning_content' is unsupported". Mistral: "Extra inputs are not permitted". */
const refusal = /reasoning/i
const unknownField = /unsupported|not supported|not permitted|unknown|unexpected|unrecognized|extra/i

/**
 * A model's reasoning is sent back to it with the next step. Some servers require that, others refuse it, and none announces
 * which. After the first refusal it is left out.
 */
export function keepReasoning(model: LanguageModelV4): LanguageModelV4 {
  let isRefused = false
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapGenerate({ doGenerate, params }) {
        if (isRefused) return await model.doGenerate(withoutReasoning(params))
        try {
          return await doGenerate()
        } catch (error) {
          if (!refusesReasoning(error) || !holdsReasoning(params)) throw error
          const answer = await model.doGenerate(withoutReasoning(params))
          isRefused = true
          return answer
        }
      },
    },
  })
}

function refusesReasoning(error: unknown): boolean {
  if (!APICallError.isInstance(error) || (error.statusCode !== 400 && error.statusCode !== 422)) return false
  const text = `${error.message} ${error.responseBody ?? ''}`
  return refusal.test(text) && unknownField.test(text)
}

function holdsReasoning({ prompt }: CallOptions): boolean {
  return prompt.some(
    (message) => message.role === 'assistant' && message.content.some(({ type }) => type === 'reasoning'),
  )
}

function withoutReasoning(params: CallOptions): CallOptions {
  const prompt = params.prompt.map((message) =>
    message.role === 'assistant'
      ? { ...message, content: message.content.filter(({ type }) => type !== 'reasoning') }
      : message,
  )
  return { ...params, prompt }
}
