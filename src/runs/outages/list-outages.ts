import type { z } from 'zod'
import { modelLabel } from '../../shared/wording/model-label.ts'
import type { outagesShape } from '../contract.ts'
import type { Outages } from './open-outages.ts'

/** Those that matter to people: somebody waits, or another model answers. One failed run alone is no outage. */
export async function listOutages(ctx: { outages: Outages }): Promise<z.output<typeof outagesShape>> {
  const outages = await ctx.outages.list()
  return {
    items: outages
      .filter(({ heldAt, fallbackEndsAt }) => heldAt !== null || performance.now() < fallbackEndsAt)
      .map(({ provider, name, problem, since, heldAt }) => ({
        model: modelLabel(provider, name),
        problem,
        since: since.toISOString(),
        heldSince: heldAt?.toISOString() ?? null,
      })),
  }
}
