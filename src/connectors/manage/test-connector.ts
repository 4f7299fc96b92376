import type { z } from 'zod'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { type Authenticator, fixedAuthenticator } from '../auth/authenticator.ts'
import type { testResultShape } from '../contract.ts'
import { authenticatorOf, type GrantsContext } from '../oauth/grant-authenticator.ts'
import type { Draft } from './draft/draft.ts'
import { draftFromRows, type LoadedConnector } from './get-connector.ts'

type Context = { egress: Egress }

type TestResult = z.output<typeof testResultShape>

const timeoutMs = 10_000

/** One GET of the base URL with headers and auth, over a fresh connection. Never calls a tool, and does not throw if the target fails. */
export async function testConnector(
  ctx: Context,
  draft: Pick<Draft, 'baseUrl' | 'headers' | 'authType' | 'authName' | 'authValue'>,
  purpose: string,
  auth: Authenticator = fixedAuthenticator(draft),
): Promise<TestResult> {
  const startedAt = performance.now()
  const secrets = await auth.secrets()
  if ('refused' in secrets)
    return failedTest(0, { code: 'not_connected', message: secrets.refused, rule: null })
  const answer = await ctx.egress.probe({
    method: 'GET',
    url: secrets.addTo(draft.baseUrl),
    headers: testHeaders(draft, secrets.headers),
    limits: { headersTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs, maxBytes: 0 },
    discardsBody: true,
    purpose,
  })
  const timeMs = Math.round(performance.now() - startedAt)
  if (!answer.ok) return failedTest(timeMs, answer)
  const refused = answer.status === 401 || answer.status === 403
  return {
    reachable: true,
    status: answer.status,
    timeMs,
    address: answer.peer?.address ?? null,
    tls: answer.peer?.tls ?? null,
    problem: refused
      ? {
          code: 'credentials_refused',
          message:
            draft.authType === 'none'
              ? `The API requires credentials (${answer.status}), and none are set. Choose its authentication under Settings. Some APIs answer like this only at their root URL.`
              : `The API rejected the credentials (${answer.status}). Check the authentication and its secret. Some APIs answer like this only at their root URL.`,
          rule: null,
        }
      : null,
  }
}

/** The same with what is stored or was granted. */
export async function testStored(
  ctx: Context & GrantsContext & { vault: Vault },
  loaded: LoadedConnector,
): Promise<TestResult> {
  const draft = draftFromRows(ctx, loaded)
  const { id } = loaded.row
  return await testConnector(ctx, draft, `a test of connector ${id}`, authenticatorOf(ctx, id, draft))
}

export function failedTest(
  timeMs: number,
  { code, message, rule }: NonNullable<TestResult['problem']>,
): TestResult {
  const nothing = { reachable: false, status: null, address: null, tls: null }
  return { ...nothing, timeMs, problem: { code, message, rule } }
}

function testHeaders(
  { headers: defaults }: Pick<Draft, 'headers'>,
  secrets: Readonly<Record<string, string>>,
): Record<string, string> {
  const headers = new Map<string, [string, string]>()
  const set = (name: string, value: string) => headers.set(name.toLowerCase(), [name, value])
  set('Accept', '*/*')
  set('User-Agent', 'Bellhop')
  for (const { name, value } of defaults) if (typeof value === 'string') set(name, value)
  for (const [name, value] of Object.entries(secrets)) set(name, value)
  return Object.fromEntries(headers.values())
}
