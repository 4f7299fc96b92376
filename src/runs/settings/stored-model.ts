import { z } from 'zod'
import { providerShape } from '../contract.ts'

/** The row `model` of the settings; its key is sealed. */
export const storedModelShape = z.object({
  provider: providerShape,
  name: z.string(),
  baseUrl: z.string().nullable(),
  contextTokens: z.number().nullable(),
  apiKey: z.string().nullable(),
})
export type StoredModel = z.output<typeof storedModelShape>

/** Where the sealed key lives: it does not open anywhere else. */
export const modelKeyPlace = { table: 'settings', row: 'model', column: 'value.apiKey' }
