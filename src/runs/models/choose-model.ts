import type { Vault } from '../../platform/crypto/vault.ts'
import type { Secret } from '../../platform/secret.ts'
import type { Settings } from '../settings/open-settings.ts'
import { modelKeyPlace, type StoredModel } from '../settings/stored-model.ts'
import type { ProviderName } from './model.ts'
import type { ModelChoice } from './open-model.ts'

type Context = {
  settings: Settings
  vault: Vault
  config: {
    model: { provider: ProviderName; name: string; apiKey: Secret | null; baseUrl: string | null } | null
  }
}

/** `trusted`: the address is the server's own setting or the provider's well-known one, not one that somebody typed in. */
export type Chosen = {
  choice: ModelChoice
  source: 'settings' | 'environment' | 'default'
  trusted: boolean
}

const offlineChoice: ModelChoice = {
  provider: 'offline',
  name: '',
  baseUrl: null,
  apiKey: null,
  contextTokens: null,
}

/** The dashboard's choice, else the environment's, else the offline agent. */
export async function chooseModel(ctx: Context): Promise<Chosen> {
  const { model } = await ctx.settings.read()
  if (model)
    return { choice: openStored(ctx.vault, model), source: 'settings', trusted: model.baseUrl === null }
  const { model: given } = ctx.config
  if (given) return { choice: { ...given, contextTokens: null }, source: 'environment', trusted: true }
  return { choice: offlineChoice, source: 'default', trusted: true }
}

/**
 * Another model than the chosen one, as a webhook or a replay asks for it: the same account if the provider is the same,
 * else the environment's. An offline one needs none.
 */
export async function chooseOther(
  ctx: Context,
  asked: { provider: string; name: string },
): Promise<Chosen | null> {
  if (asked.provider === 'offline') return { choice: offlineChoice, source: 'default', trusted: true }
  const chosen = await chooseModel(ctx)
  const environment: Chosen | null = ctx.config.model && {
    choice: { ...ctx.config.model, contextTokens: null },
    source: 'environment',
    trusted: true,
  }
  const account = [chosen, environment].find((candidate) => candidate?.choice.provider === asked.provider)
  return account ? { ...account, choice: { ...account.choice, name: asked.name, contextTokens: null } } : null
}

export function openStored(vault: Vault, { apiKey, ...model }: StoredModel): ModelChoice {
  return { ...model, apiKey: apiKey === null ? null : vault.open(apiKey, modelKeyPlace) }
}
