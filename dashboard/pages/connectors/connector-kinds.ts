import type { HttpConnector, Tool } from '../../contract.ts'

export type McpConnector = {
  id: string
  type: 'mcp'
  name: string
  slug: string
  url: string
  authValue: { set: boolean }
  tools: Tool[]
  createdAt: string
}

export type Connector = HttpConnector | McpConnector
