import { setImmediate } from 'node:timers/promises'
import { runInThread, threadModule } from '../../../platform/run-in-thread.ts'
import { McpFailure } from '../mcp-failure.ts'
import { compileToolSchema } from './compile-tool-schema.ts'

/** Compiling a schema takes about 5 ms per thousand characters. */
const fewChars = { ofOne: 8_000, inAll: 64_000 }
const timeoutMs = 2 * 60_000
const inThread = threadModule<typeof import('./compile-tool-schema.ts')>(
  new URL('./compile-tool-schema.ts', import.meta.url),
  timeoutMs,
)

/**
 * For each entry, given as JSON, why its schemas cannot be used. A long list is checked in another thread, since the server
 * chooses what is in it. Throws an `McpFailure` if that takes too long.
 */
export async function compileToolSchemas(texts: readonly string[]): Promise<(string | null)[]> {
  const inAll = texts.reduce((sum, text) => sum + text.length, 0)
  if (inAll > fewChars.inAll || texts.some((text) => text.length > fewChars.ofOne))
    return await judgeInThread(texts)
  const reasons: (string | null)[] = []
  for (const text of texts) {
    reasons.push(compileToolSchema(text))
    // Let the event loop run between two schemas.
    await setImmediate()
  }
  return reasons
}

async function judgeInThread(texts: readonly string[]): Promise<(string | null)[]> {
  try {
    return await runInThread(inThread, 'compileToolSchemasOf', [texts])
  } catch (cause) {
    const detail = 'The server’s list of tools is too large or too complicated to be used.'
    throw new McpFailure('too_large', detail, { cause })
  }
}
