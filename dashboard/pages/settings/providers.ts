export const providerOptions = [
  { value: 'offline', label: 'offline (no language model)' },
  { value: 'anthropic', label: 'Anthropic' },
  { value: 'openai', label: 'OpenAI' },
  { value: 'google', label: 'Google' },
  { value: 'openai-compatible', label: 'OpenAI-compatible (Ollama, vLLM, OpenRouter, …)' },
]
