import type { Client as McpClient } from '@modelcontextprotocol/client'
import type { Egress } from '../../platform/egress/open-egress.ts'
import type { Secret } from '../../platform/secret.ts'
import { explainMcpFailure } from './mcp-failure.ts'

type Context = { egress: Egress }

export type McpServer = { url: string; token: Secret | null; timeoutMs: number }

export type McpSession = AsyncDisposable & {
  readonly client: McpClient
  readonly transport: 'streamable-http' | 'sse'
  readonly server: { name: string; version: string }
  readonly protocolVersion: string
}

const version = '1'

/** Streamable HTTP first; HTTP with SSE for servers that know only that. Every request of both goes through the guarded door. */
export async function openMcpSession(
  ctx: Context,
  server: McpServer,
  onToolsChanged?: () => void,
): Promise<McpSession> {
  try {
    return await connect(ctx, server, 'streamable-http', onToolsChanged)
  } catch (error) {
    const failure = explainMcpFailure(error)
    if (!failure.mayBeOlderServer) throw failure
    return await connect(ctx, server, 'sse', onToolsChanged).catch((second: unknown) => {
      // What the first attempt met says more, unless the second one got further.
      throw explainMcpFailure(second).mayBeOlderServer ? failure : explainMcpFailure(second)
    })
  }
}

async function connect(
  { egress }: Context,
  { url, token, timeoutMs }: McpServer,
  transport: McpSession['transport'],
  onToolsChanged?: () => void,
): Promise<McpSession> {
  const { Client, SSEClientTransport, StreamableHTTPClientTransport } = await import(
    '@modelcontextprotocol/client'
  )
  const client = new Client(
    { name: 'bellhop', version },
    onToolsChanged ? { listChanged: { tools: { autoRefresh: false, onChanged: onToolsChanged } } } : {},
  )
  const options = {
    fetch: egress.openFetch({ headersTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs }, 'an MCP server'),
    ...(token ? { authProvider: { token: async () => token.reveal() } } : {}),
  }
  const wire =
    transport === 'sse'
      ? new SSEClientTransport(new URL(url), options)
      : new StreamableHTTPClientTransport(new URL(url), {
          ...options,
          onInsufficientScope: 'throw',
          reconnectionOptions: {
            initialReconnectionDelay: 500,
            maxReconnectionDelay: 5_000,
            reconnectionDelayGrowFactor: 2,
            maxRetries: 3,
          },
        })
  try {
    await client.connect(wire, { timeout: timeoutMs })
  } catch (error) {
    await client.close().catch(() => undefined)
    throw error
  }
  const info = client.getServerVersion()
  return {
    client,
    transport,
    server: { name: info?.name ?? 'unnamed', version: info?.version ?? '' },
    protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    async [Symbol.asyncDispose]() {
      if (wire instanceof StreamableHTTPClientTransport) await wire.terminateSession().catch(() => undefined)
      await client.close()
    },
  }
}
