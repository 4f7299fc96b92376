import type { z } from 'zod'
import type { McpConnectorShape, mcpToolShape } from '../../../src/connectors/mcp/contract.ts'
import type { HttpConnector } from '../../contract.ts'

export type McpTool = z.output<typeof mcpToolShape>
export type McpConnector = McpConnectorShape
export type Connector = HttpConnector | McpConnector
