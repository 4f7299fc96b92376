import { generateText, jsonSchema, tool } from 'ai'
import type { z } from 'zod'
import { classifyModelError } from '../models/classify-model-error.ts'
import type { Models } from '../models/open-models.ts'
import type { Egress } from '../platform/egress/open-egress.ts'
import { modelLabel } from '../shared/wording/model-label.ts'
import {
  type Chosen,
  chooseFallback,
  chooseModel,
  chosenInSettings,
  lostModelKey,
  type ModelContext,
} from './choose-model.ts'
import type { modelTestResultShape, modelTestShape } from './contract.ts'
import { mergeModel, refuseModelAddress } from './merge-model.ts'

export type TestContext = ModelContext & { models: Models; egress: Egress }

type ModelTest = z.output<typeof modelTestResultShape>
type Asked = z.output<typeof modelTestShape>

const timeoutMs = 30_000

const lookUp = tool({
  description: 'Looks up a word.',
  inputSchema: jsonSchema({
    type: 'object',
    properties: { word: { type: 'string' } },
    required: ['word'],
    additionalProperties: false,
  }),
})

/** Asks the model for one word. Apart from the steps of runs, this is the only model call: by hand, or after an outage. */
export async function testModel(ctx: TestContext, asked: Asked): Promise<ModelTest> {
  return await tryModel(ctx, await chooseTested(ctx, asked))
}

export async function tryModel(ctx: { models: Models }, chosen: Chosen): Promise<ModelTest> {
  const model = modelLabel(chosen.choice.provider, chosen.choice.name)
  const startedAt = performance.now()
  const tell = (found: Pick<ModelTest, 'answer' | 'usage' | 'problem'>): ModelTest => {
    return { ok: found.problem === null, model, timeMs: Math.round(performance.now() - startedAt), ...found }
  }
  if (chosen.keyIsLost) return tell({ answer: null, usage: null, problem: lostModelKey })
  try {
    const { language, callOptions } = await ctx.models.open(chosen)
    const { text, usage } = await generateText({
      model: language,
      instructions: 'You are being tested.',
      prompt: 'Answer with the one word: ready',
      // With a tool, as in every step of a run: a model without tool support would pass without one and then fail in runs.
      tools: { look_up: lookUp },
      maxRetries: 0,
      abortSignal: AbortSignal.timeout(timeoutMs),
      providerOptions: { ...callOptions },
    })
    const { inputTokens = 0, outputTokens = 0 } = usage
    return tell({ answer: text.slice(0, 500), usage: { inputTokens, outputTokens }, problem: null })
  } catch (error) {
    return tell({ answer: null, usage: null, problem: classifyModelError(error).message })
  }
}

/** An empty patch tests the current model; otherwise the test uses what the fields would make of it. */
async function chooseTested(ctx: TestContext, { of, ...patch }: Asked): Promise<Chosen> {
  if (Object.keys(patch).length === 0) {
    const saved = of === 'model' ? await chooseModel(ctx) : await chooseFallback(ctx)
    if (saved) return saved
  }
  const stored = (await ctx.settings.read())[of]
  await refuseModelAddress(ctx.egress, patch, of)
  return chosenInSettings(ctx, mergeModel(ctx, stored, patch, of), of)
}
