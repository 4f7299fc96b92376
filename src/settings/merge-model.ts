import { addressRefused, invalidField } from '../http/problems.ts'
import type { Vault } from '../platform/crypto/vault.ts'
import type { Egress } from '../platform/egress/open-egress.ts'
import { originOf } from '../platform/http-server/origin-of.ts'
import { Secret } from '../platform/secret.ts'
import { providerName } from '../shared/wording/model-label.ts'
import type { ModelPatch } from './contract.ts'
import { type ModelGroup, modelKeyPlace, type StoredModel } from './stored-model.ts'

/** The model as stored after the patch. Throws if it could never be used. */
export function mergeModel(
  ctx: { vault: Vault },
  now: StoredModel | null,
  patch: ModelPatch,
  group: ModelGroup,
): StoredModel {
  const { apiKey, ...fields } = patch
  if (now === null && fields.provider === undefined) {
    throw invalidField(
      `/${group}/provider`,
      'No model is saved yet. Send the provider and the name together.',
    )
  }
  const before = now ?? {
    provider: 'offline' as const,
    name: '',
    baseUrl: null,
    contextTokens: null,
    maxOutputTokens: null,
    apiKey: null,
  }
  // Address, context window and length of answers belong to a provider; another one starts with its own.
  const isOther = fields.provider !== undefined && fields.provider !== before.provider
  const fresh = isOther ? { baseUrl: null, contextTokens: null, maxOutputTokens: null } : {}
  const merged = { ...before, ...fresh, ...defined(fields) }
  // A stored key is never sent to another provider or address.
  const moved = isOther || originOf(merged.baseUrl) !== originOf(before.baseUrl)
  const kept = moved ? null : before.apiKey
  const sealed = apiKey === undefined ? kept : sealKey(ctx, kept, apiKey, group)
  if (merged.provider !== 'offline' && merged.name === '') {
    throw invalidField(`/${group}/name`, 'Enter the exact ID of the model.')
  }
  if (merged.provider === 'openai-compatible' && merged.baseUrl === null) {
    throw invalidField(
      `/${group}/baseUrl`,
      'A compatible server needs its address, e.g. https://models.example.com/v1.',
    )
  }
  if (sealed === null && merged.baseUrl === null && keyed.has(merged.provider)) {
    const because = before.apiKey ? ', and a stored key is never sent to another provider or address' : ''
    throw invalidField(
      `/${group}/apiKey`,
      `Enter the API key: ${providerName(merged.provider)} requires one${because}.`,
    )
  }
  return { ...merged, apiKey: sealed }
}

/** At their own address these providers need a key; a server of one's own may not. */
const keyed: ReadonlySet<string> = new Set(['anthropic', 'openai', 'google'])

/** The key that is stored already stays as it is, so that sending it again changes nothing. */
function sealKey(
  { vault }: { vault: Vault },
  kept: string | null,
  given: string | null,
  group: ModelGroup,
): string | null {
  if (given === null) return null
  const stored = kept === null ? null : vault.openIfKeyIsKnown(kept, modelKeyPlace(group))
  return stored?.reveal() === given ? kept : vault.seal(new Secret(given), modelKeyPlace(group))
}

/** Needs a DNS lookup, so it runs before anything is locked. An address that is not in the patch was checked when it was stored. */
export async function refuseModelAddress(
  egress: Egress,
  { baseUrl }: ModelPatch,
  group: ModelGroup,
): Promise<void> {
  if (!baseUrl) return
  const refusal = await egress.check(baseUrl, 'the model')
  if (!refusal) return
  const message = `${refusal.message} For a model on this machine or network, start the server with MODEL_PROVIDER, MODEL_NAME and MODEL_BASE_URL instead, for example MODEL_BASE_URL=http://localhost:11434/v1.`
  throw addressRefused({ ...refusal, message }, `/${group}/baseUrl`)
}

/** Fields left out of the patch must not become undefined values. */
function defined<T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as { [K in keyof T]: Exclude<T[K], undefined> } // just filtered
}
