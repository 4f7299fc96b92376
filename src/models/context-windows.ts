/**
 * The context window of a model, for deciding what is shown whole and what in pages. The first match counts; the settings can
 * override it. A value too low only means more pages, so unknown models are assumed to be small.
 */
const windows: readonly [RegExp, number][] = [
  [/claude/i, 200_000],
  [/gemini/i, 1_000_000],
  [/gpt-4\.1/i, 1_000_000],
  [/gpt-5|^o\d/i, 272_000],
  [/gpt-4o|gpt-4-turbo/i, 128_000],
  [/llama-?3|qwen|mistral|deepseek|gemma|gpt-oss/i, 64_000],
]
const unknownWindow = 32_000

export function contextWindowOf(modelName: string): number {
  return windows.find(([pattern]) => pattern.test(modelName))?.[1] ?? unknownWindow
}
