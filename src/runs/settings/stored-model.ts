import { z } from 'zod'
import { providerShape } from '../contract.ts'

/** The row `model` of the settings. */
export const storedModelShape = z.object({
  provider: providerShape,
  name: z.string(),
  baseUrl: z.string().nullable(),
  contextTokens: z.number().nullable(),
})

/** Its key lives in a column of its own, sealed. */
export type StoredModel = z.output<typeof storedModelShape> & { apiKey: string | null }

/** Where the sealed key lives: it does not open anywhere else. */
export const modelKeyPlace = { table: 'settings', row: 'model', column: 'secret' }
