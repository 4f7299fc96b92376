import { wrapLanguageModel } from 'ai'
import type { LanguageModelV4 } from './model.ts'

export type Content = Awaited<ReturnType<LanguageModelV4['doGenerate']>>['content']

/** The same model, with its answers changed. */
export function changeContent(
  model: LanguageModelV4,
  change: (content: Content) => Content,
): LanguageModelV4 {
  return wrapLanguageModel({
    model,
    middleware: {
      specificationVersion: 'v4',
      async wrapGenerate({ doGenerate }) {
        const answer = await doGenerate()
        return { ...answer, content: change(answer.content) }
      },
    },
  })
}
