import type { z } from 'zod'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { Secret } from '../../platform/secret.ts'
import type { testResultShape } from '../contract.ts'
import { authHeader } from '../http/build-request.ts'
import { requestSecrets } from '../http/request-secrets.ts'
import type { Draft } from './draft.ts'

type Context = { egress: Egress }

type TestResult = z.output<typeof testResultShape>

const timeoutMs = 10_000

/** One GET of the base URL with headers and auth, over a fresh connection. Never calls a tool, and does not throw if the target fails. */
export async function testConnector(
  ctx: Context,
  draft: Pick<Draft, 'baseUrl' | 'headers' | 'authType' | 'authHeaderName' | 'authValue'>,
  purpose: string,
): Promise<TestResult> {
  const startedAt = performance.now()
  const answer = await ctx.egress.probe({
    method: 'GET',
    url: draft.baseUrl,
    headers: testHeaders(draft),
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

export function failedTest(
  timeMs: number,
  { code, message, rule }: NonNullable<TestResult['problem']>,
): TestResult {
  const nothing = { reachable: false, status: null, address: null, tls: null }
  return { ...nothing, timeMs, problem: { code, message, rule } }
}

function testHeaders(draft: Parameters<typeof testConnector>[1]): Record<string, string> {
  const secrets = requestSecrets(draft)
  const headers = new Map<string, [string, string]>([
    ['accept', ['Accept', '*/*']],
    ['user-agent', ['User-Agent', 'Bellhop']],
  ])
  for (const { name, value } of draft.headers) {
    headers.set(name.toLowerCase(), [name, value instanceof Secret ? value.reveal() : value])
  }
  const auth = authHeader({ ...draft, hasAuthValue: draft.authValue !== null })
  const authText = auth && secrets.headerValue(auth.name)
  if (auth && authText) headers.set(auth.name.toLowerCase(), [auth.name, authText])
  return Object.fromEntries(headers.values())
}
