import type { z } from 'zod'
import type { httpConnectorShape, toolShape } from '../../../src/connectors/contract.ts'

export type Tool = z.output<typeof toolShape>
export type HttpConnector = z.output<typeof httpConnectorShape>
export type McpConnector = {
  id: string
  type: 'mcp'
  name: string
  slug: string
  url: string
  authValue: { set: boolean }
  tools: Tool[]
  createdAt: string
} & Record<string, unknown>
export type Connector = HttpConnector | McpConnector
