import { z } from 'zod'
import { modelShape } from '../../../webhooks/contract.ts'
import { budgetShape, rehearsalSummaryShape } from '../contract.ts'

export const nightlyBody = z.strictObject({
  /** The model to try instead of the saved one. */
  model: modelShape,
  /** What one night may cost, in the currency of the price table. */
  budget: budgetShape,
})
export type NightlyBody = z.output<typeof nightlyBody>

export const nightlyShape = z.object({
  /** Null while it is off. */
  nightly: z
    .object({
      model: modelShape,
      budget: z.number(),
      /** 03:00 in the time zone of the settings. */
      nextAt: z.iso.datetime(),
      /** Of the latest night. */
      last: rehearsalSummaryShape.nullable(),
      /** Why there was no rehearsal in the latest night. */
      problem: z.string().nullable(),
      createdBy: z.string(),
    })
    .nullable(),
})
