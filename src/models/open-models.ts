import { createHash } from 'node:crypto'
import type { Egress } from '../platform/egress/open-egress.ts'
import type { Model } from './model.ts'
import { type ModelChoice, openModel } from './open-model.ts'

/** `trusted`: nobody typed the address in the dashboard, so it may be private. */
export type Models = { open(chosen: { choice: ModelChoice; trusted: boolean }): Promise<Model> }

type Context = { egress: Egress; trustedFetch: typeof globalThis.fetch }

/** A model may think for minutes before its first byte. */
export const modelLimits = { headersTimeoutMs: 600_000, idleTimeoutMs: 600_000 }

/** Far more than are in use at once: a name comes from a webhook, a replay or the settings. */
const keptModels = 100

/** Opened models are cached, since opening one loads its provider. */
export function openModels(ctx: Context): Models {
  const guarded = ctx.egress.openFetch(modelLimits, 'the model')
  const opened = new Map<string, Promise<Model>>()
  return {
    async open({ choice, trusted }) {
      const id = identify(choice, trusted)
      const known = opened.get(id)
      if (known) return await known
      const fresh = openModel(choice, trusted ? ctx.trustedFetch : guarded)
      const oldest = opened.size >= keptModels ? opened.keys().next().value : undefined
      if (oldest !== undefined) opened.delete(oldest)
      opened.set(id, fresh)
      fresh.catch(() => opened.delete(id))
      return await fresh
    },
  }
}

/** Contains the key only as a hash: this text lives as long as the process. */
function identify({ apiKey, ...rest }: ModelChoice, trusted: boolean): string {
  const key = createHash('sha256')
    .update(apiKey?.reveal() ?? '')
    .digest('hex')
  return JSON.stringify([rest, trusted, key])
}
