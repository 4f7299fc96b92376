import { z } from 'zod'
import { providerShape } from '../models/contract.ts'

/** The row `model` of the settings. */
export const storedModelShape = z.object({
  provider: providerShape,
  name: z.string(),
  baseUrl: z.string().nullable(),
  contextTokens: z.number().nullable(),
})

/** The key is sealed in its own column. */
export type StoredModel = z.output<typeof storedModelShape> & { apiKey: string | null }

/** The place that the key is sealed for: it cannot be opened anywhere else. */
export const modelKeyPlace = { table: 'settings', row: 'model', column: 'secret' }
