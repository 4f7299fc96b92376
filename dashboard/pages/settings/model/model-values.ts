import type { Settings } from '../../../contract.ts'
import { changedFields } from '../../../ui/forms/merge-server-values.ts'
import { modelNames } from './providers.ts'

export type Group = 'model' | 'fallbackModel'
export type Provider = Settings['model']['provider']

export type ModelValues = {
  /** Empty: no fallback. */
  provider: Provider | ''
  name: string
  baseUrl: string
  apiKey: string | null
  /** Empty: what is known of the model. */
  maxOutputTokens: number | string
}
export type ModelFormValues = Record<Group, ModelValues>

type SavedModel = NonNullable<Settings['fallbackModel']>

/** What is stored in the settings; null if nothing is, or it comes from the environment. */
export function savedModel(settings: Settings, group: Group): SavedModel | null {
  if (group === 'fallbackModel') return settings.fallbackModel
  return settings.model.source === 'settings' ? settings.model : null
}

export function toModelValues(model: SavedModel | null): ModelValues {
  return {
    provider: model?.provider ?? '',
    name: model?.name ?? '',
    baseUrl: model?.baseUrl ?? '',
    apiKey: '',
    maxOutputTokens: model?.maxOutputTokens ?? '',
  }
}

/** Another provider has another name, address and key. */
export function valuesOfProvider(
  saved: SavedModel | null,
  provider: Provider | '',
  apiKey: string | null,
): ModelValues {
  const isSaved = saved !== null && provider === saved.provider
  return {
    ...toModelValues(isSaved ? saved : null),
    provider,
    // People who have just got a key need not know the names of models.
    name: isSaved
      ? saved.name
      : provider === '' || provider === 'offline'
        ? ''
        : (modelNames[provider][0] ?? ''),
    apiKey: apiKey ?? '',
  }
}

/** A stored key stays with its provider and address; the environment's stays with the model that is named there. */
export function keepsKey(saved: SavedModel | null, { provider, baseUrl }: ModelValues): boolean {
  return saved?.apiKey.set === true && provider === saved.provider && baseUrl.trim() === (saved.baseUrl ?? '')
}

/** What the shape of the settings does not say. */
export function modelProblems(saved: SavedModel | null, group: Group, values: ModelValues) {
  const { provider, name, baseUrl, apiKey } = values
  const isOwnServer = baseUrl.trim() !== ''
  const needsKey =
    provider !== '' && provider !== 'offline' && provider !== 'openai-compatible' && !isOwnServer
  return {
    [`${group}.name`]:
      provider !== '' && provider !== 'offline' && name.trim() === '' ? 'Enter the model name.' : null,
    [`${group}.baseUrl`]:
      provider === 'openai-compatible' && !isOwnServer
        ? 'Enter the base URL, for example https://llm.example.com/v1.'
        : null,
    [`${group}.apiKey`]:
      apiKey === '' && !keepsKey(saved, values) && needsKey ? 'Enter the API key from your provider.' : null,
  }
}

/**
 * Whole, or what differs from `before`, since somebody else may have changed the rest meanwhile. What was typed was meant for the
 * provider that was shown, and a key for its address too.
 */
export function toModelPatch(model: ModelValues, before: ModelValues | null) {
  const { provider, apiKey, maxOutputTokens } = model
  if (provider === '') return null
  if (provider === 'offline') return { provider, name: '', baseUrl: null }
  const typed = changedFields(model, before !== null && provider === before.provider ? before : {})
  return {
    provider,
    ...('name' in typed ? { name: model.name.trim() } : {}),
    ...('baseUrl' in typed || apiKey !== '' ? { baseUrl: model.baseUrl.trim() || null } : {}),
    ...(apiKey === '' ? {} : { apiKey }),
    ...('maxOutputTokens' in typed
      ? { maxOutputTokens: maxOutputTokens === '' ? null : Number(maxOutputTokens) }
      : {}),
  }
}
