import type { ProviderName } from '../models/model.ts'
import type { ModelChoice } from '../models/open-model.ts'
import type { Vault } from '../platform/crypto/vault.ts'
import type { Secret } from '../platform/secret.ts'
import type { Settings } from './open-settings.ts'
import { type ModelGroup, modelKeyPlace, type StoredModel } from './stored-model.ts'

export type ModelContext = {
  settings: Settings
  vault: Vault
  config: {
    model: { provider: ProviderName; name: string; apiKey: Secret | null; baseUrl: string | null } | null
  }
}

/** `trusted`: the address comes from the server's environment or is the provider's well-known one; nobody typed it in the dashboard. */
export type Chosen = {
  choice: ModelChoice
  source: 'settings' | 'environment' | 'default'
  trusted: boolean
  /** The stored key cannot be opened any more, so the model cannot be asked. */
  keyIsLost: boolean
}

const offlineChoice: ModelChoice = {
  provider: 'offline',
  name: '',
  baseUrl: null,
  apiKey: null,
  contextTokens: null,
  maxOutputTokens: null,
}

const offline: Chosen = { choice: offlineChoice, source: 'default', trusted: true, keyIsLost: false }

/** The dashboard's choice, else the environment's, else the offline agent. */
export async function chooseModel(ctx: ModelContext): Promise<Chosen> {
  const { model } = await ctx.settings.read()
  if (model) return chosenInSettings(ctx, model, 'model')
  return chosenByEnvironment(ctx) ?? offline
}

/**
 * A model by name, as a run recorded it or a webhook or replay asks for it. Uses the account of the chosen model if the provider
 * is the same, else that of the fallback or the environment's. The offline model needs none. Null if no account is set up for it.
 */
export async function chooseNamed(
  ctx: ModelContext,
  { provider, name }: { provider: string; name: string },
): Promise<Chosen | null> {
  const chosen = await chooseModel(ctx)
  if (chosen.choice.provider === provider && chosen.choice.name === name) return chosen
  if (provider === 'offline') return offline
  const fallback = await chooseFallback(ctx)
  if (fallback?.choice.provider === provider && fallback.choice.name === name) return fallback
  const account = [chosen, fallback, chosenByEnvironment(ctx)].find(
    (one) => one?.choice.provider === provider,
  )
  const ownSizes = { contextTokens: null, maxOutputTokens: null }
  return account ? { ...account, choice: { ...account.choice, name, ...ownSizes } } : null
}

/** The model that is asked when the first one cannot answer; null if there is none. */
export async function chooseFallback(ctx: ModelContext): Promise<Chosen | null> {
  const { fallbackModel } = await ctx.settings.read()
  return fallbackModel && chosenInSettings(ctx, fallbackModel, 'fallbackModel')
}

function chosenByEnvironment({ config: { model } }: ModelContext): Chosen | null {
  const choice = model && { ...model, contextTokens: null, maxOutputTokens: null }
  return choice && { choice, source: 'environment', trusted: true, keyIsLost: false }
}

/** A key that cannot be opened any more counts as not set, so that the settings can be opened to enter it. */
export function chosenInSettings(
  { vault }: { vault: Vault },
  { apiKey: sealed, ...model }: StoredModel,
  group: ModelGroup,
): Chosen {
  const apiKey = sealed === null ? null : vault.openIfKeyIsKnown(sealed, modelKeyPlace(group))
  return {
    choice: { ...model, apiKey },
    source: 'settings',
    trusted: model.baseUrl === null,
    keyIsLost: sealed !== null && apiKey === null,
  }
}

export const lostModelKey =
  'The stored API key of the model cannot be decrypted, because its encryption key is gone. Enter it again under Settings → Model.'
