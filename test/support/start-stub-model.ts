import type { Script } from './model-script.ts'
import { startStubAnthropic } from './stub-anthropic.ts'
import { startStubGoogle } from './stub-google.ts'
import { startStubOpenai } from './stub-openai.ts'

export const providers = ['anthropic', 'openai', 'google', 'openai-compatible'] as const
export type Provider = (typeof providers)[number]

/** The same script in any provider's format. */
export async function startStubModel(provider: Provider, script: Script) {
  switch (provider) {
    case 'anthropic':
      return await startStubAnthropic(script)
    case 'google':
      return await startStubGoogle(script)
    case 'openai':
      return await startStubOpenai(script)
    case 'openai-compatible': {
      const openai = await startStubOpenai(script)
      return { ...openai, env: openai.compatibleEnv }
    }
    default:
      throw new Error(`Unhandled provider ${provider satisfies never}`)
  }
}
