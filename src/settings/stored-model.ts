import { z } from 'zod'
import { providerShape } from '../models/contract.ts'

/** The rows `model` and `fallbackModel` of the settings. */
export const storedModelShape = z.object({
  provider: providerShape,
  name: z.string(),
  baseUrl: z.string().nullable(),
  contextTokens: z.number().nullable(),
  // Absent in rows that were written before it existed.
  maxOutputTokens: z.number().nullable().default(null),
})

/** The key is sealed in its own column. */
export type StoredModel = z.output<typeof storedModelShape> & { apiKey: string | null }

export type ModelGroup = 'model' | 'fallbackModel'

/** The place that the key is sealed for: it cannot be opened anywhere else. */
export function modelKeyPlace(row: ModelGroup) {
  return { table: 'settings', row, column: 'secret' }
}
