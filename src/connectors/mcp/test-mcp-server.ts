import type { z } from 'zod'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { fixedAuthenticator } from '../auth/authenticator.ts'
import { failedTest } from '../manage/test-connector.ts'
import type { anyTestResultShape, UnsavedMcpServer } from './contract.ts'
import {
  type DiscoverContext,
  type Discovered,
  discoverTools,
  readServer,
} from './discovery/discover-tools.ts'
import { judgeTools } from './discovery/judge-tools.ts'
import { explainMcpFailure, type McpFailure } from './mcp-failure.ts'
import { plainHeaders } from './mcp-server.ts'
import { mcpDraftOf } from './save-mcp-connector.ts'

type McpTestResult = z.input<typeof anyTestResultShape>
type Server = NonNullable<McpTestResult['server']>

const testTimeoutMs = 10_000

/** Connects and reads the list of tools. Never calls one. */
export async function testUnsavedServer(
  ctx: { egress: Egress },
  given: UnsavedMcpServer,
): Promise<McpTestResult> {
  const startedAt = performance.now()
  if (!URL.canParse(given.url)) return failed(startedAt, 'invalid_input', 'This is not a complete URL.')
  const { draft } = mcpDraftOf(given)
  const auth = fixedAuthenticator(draft)
  const server = { url: given.url, headers: plainHeaders(draft), auth, timeoutMs: testTimeoutMs }
  try {
    const discovery = await readServer(ctx, server)
    const refused = (await judgeTools(discovery.tools, new Set(), new Set())).filter(
      ({ tool }) => tool === null,
    )
    const tools = discovery.tools.length - refused.length
    return reached(startedAt, { ...discovery, tools, refused: refused.length })
  } catch (error) {
    return unreached(startedAt, explainMcpFailure(error, server))
  }
}

/** The same, and stores what it finds, so that the tools show after "save and test". */
export async function testSavedServer(
  ctx: DiscoverContext,
  stored: Parameters<typeof discoverTools>[1],
): Promise<McpTestResult> {
  const startedAt = performance.now()
  const found: Discovered = await discoverTools(ctx, stored)
  if (!found.ok) return unreached(startedAt, found.failure)
  const counts = found.result ?? { tools: found.discovery.tools.length, refused: 0 }
  return reached(startedAt, { ...found.discovery, ...counts })
}

function reached(
  startedAt: number,
  { name, version, protocolVersion, transport, tools, refused }: Server,
): McpTestResult {
  return {
    reachable: true,
    status: 200,
    timeMs: Math.round(performance.now() - startedAt),
    address: null,
    tls: null,
    problem: null,
    server: { name, version, protocolVersion, transport, tools, refused },
  }
}

function unreached(startedAt: number, { code, message }: McpFailure): McpTestResult {
  const refused = refusals[code]
  // A refusal shows that the server was reached.
  return refused
    ? { ...failed(startedAt, refused, message), reachable: true }
    : failed(startedAt, code, message)
}

const refusals: Partial<Record<McpFailure['code'], string>> = {
  unauthorized: 'credentials_refused',
  sign_in_required: 'sign_in_required',
  forbidden: 'request_refused',
}

function failed(startedAt: number, code: string, message: string): McpTestResult {
  const timeMs = Math.round(performance.now() - startedAt)
  return { ...failedTest(timeMs, { code, message, rule: null }), server: null }
}
