/** The names of the providers, as people write them. */
const providerNames: Record<string, string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  google: 'Google',
  'openai-compatible': 'OpenAI-compatible',
}

/** The name of a model as people see it: `OpenAI · gpt-5-mini`. */
export function modelLabel(provider: string, name: string): string {
  if (provider === 'offline') return 'offline (no language model)'
  return `${providerName(provider)} · ${name}`
}

export function providerName(provider: string): string {
  return providerNames[provider] ?? provider
}
