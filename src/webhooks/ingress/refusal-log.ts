import { countRefusals } from '../../events/inbox/traffic.ts'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import { newId, type WebhookId } from '../../shared/ids.ts'
import { countRefusedHour, insertRefusals, type Refusal } from '../store/refusals.ts'
import { type RefusedRequest, sealRequest } from '../store/refused-requests.ts'
import { recordTokenUse, type TokenUse } from '../store/tokens.ts'
import type { FailureLimit } from './failure-limit.ts'

/** This many refusals per webhook and second are stored in full; all are counted. */
const keptPerSecond = 5
/** A diagnosis takes some 20 ms, in which the process does nothing else. One webhook must not use up what all have. */
const examinedPerSecond = { ofWebhook: 2, inAll: 5 }
/** Of one webhook, the first in a second. Whoever knows URLs must not fill the database with bodies. */
const requestsPerSecond = 10

export type RefusalLog = AsyncDisposable & {
  /** `describe` is called only if the refusal will be stored, and asks before a diagnosis whether there is time for one. */
  refused(webhookId: WebhookId, describe: (mayExamine: () => boolean) => RefusalDetails): void
  usedFormerToken(use: { hash: string; source: string }): void
  /** Stores now what would be stored within a second. */
  flush(): Promise<void>
}

type RefusalDetails = Omit<Refusal, 'id' | 'webhookId' | 'at' | 'sealedRequest'> & {
  request?: RefusedRequest | undefined
}
type Context = { db: Db; vault: Vault; now: () => Date; onError(error: Error): void }

/** Stores what the ingress observed without delaying the answers: in memory for a second, then in one statement. */
export function openRefusalLog(ctx: Context, failures: FailureLimit): RefusalLog {
  let refusals: Refusal[] = []
  let counts = new Map<WebhookId, number>()
  let examined = 0
  let requests = 0
  let uses = new Map<string, TokenUse>()
  let flushing = Promise.resolve()

  async function write(): Promise<void> {
    const [theseRefusals, theseCounts, theseUses] = [refusals, counts, uses]
    refusals = []
    counts = new Map()
    examined = 0
    requests = 0
    uses = new Map()
    if (theseRefusals.length > 0) await insertRefusals(ctx.db, theseRefusals)
    if (theseCounts.size > 0) {
      await countRefusals(ctx.db, theseCounts)
      await countRefusedHour(ctx.db, theseCounts, ctx.now())
    }
    if (theseUses.size > 0) await recordTokenUse(ctx.db, [...theseUses.values()])
    await failures.share(ctx.db)
  }

  function flush(): Promise<void> {
    flushing = flushing.then(write).catch(ctx.onError)
    return flushing
  }

  const timer = setInterval(flush, 1000)
  timer.unref()
  return {
    refused(webhookId, describe) {
      const count = counts.get(webhookId) ?? 0
      counts.set(webhookId, count + 1)
      if (count >= keptPerSecond) return
      const mayExamine = () => count < examinedPerSecond.ofWebhook && ++examined <= examinedPerSecond.inAll
      const { request, ...details } = describe(mayExamine)
      const id = newId('refusal')
      const mayKeep = request && count === 0 && ++requests <= requestsPerSecond
      const sealedRequest = mayKeep ? sealRequest(ctx.vault, id, request) : null
      refusals.push({ ...details, id, webhookId, at: ctx.now(), sealedRequest })
    },
    usedFormerToken({ hash, source }) {
      uses.set(hash, { hash, source, at: ctx.now().toISOString() })
    },
    flush,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await flush()
    },
  }
}
