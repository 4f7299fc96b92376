import { z } from 'zod'
import { authFields, authPatchFields, shownAuthFields } from '../auth/contract.ts'
import {
  capabilities,
  healthShape,
  httpConnectorPatchShape,
  httpConnectorShape,
  newHttpConnectorShape,
  testResultShape,
  toolPatchShape,
  toolShape,
  unsavedConnectorShape,
} from '../contract.ts'

const url = z
  .string('Write the URL of the MCP server, for example https://mcp.example.com/mcp.')
  .max(2048)
  .refine((value) => !value.includes('\0'), { error: 'A NUL character is not allowed here.' })

const { name, timeoutMs, signRequests } = newHttpConnectorShape.shape

/** Most servers take a bearer token, so a value without a type is one. */
const mcpAuthFields = { ...authFields, authType: authFields.authType.removeDefault().optional() }

const newMcpConnectorShape = z.strictObject({
  type: z.literal('mcp'),
  name,
  url,
  ...mcpAuthFields,
  timeoutMs,
  signRequests,
})
export type NewMcpConnector = z.output<typeof newMcpConnectorShape>

const unsavedMcpServerShape = z.object({
  type: z.literal('mcp'),
  name: z.string().default(''),
  url,
  ...mcpAuthFields,
  timeoutMs,
  signRequests,
})
export type UnsavedMcpServer = z.output<typeof unsavedMcpServerShape>

const changedMcpFields = {
  name: name.optional(),
  url: url.optional(),
  ...authPatchFields,
  timeoutMs: timeoutMs.nullable(),
  signRequests: signRequests.nullable(),
}
export type McpConnectorPatch = z.output<z.ZodObject<typeof changedMcpFields>>

const mcpToolState = z.enum(['new', 'enabled', 'off', 'quarantined', 'gone'])

/** A tool as the server publishes it, or as it was when enabled: JSON text, keys in the server's order. */
const rawTool = z.string()

export const mcpToolShape = toolShape.extend({
  /**
   * `new`: found, nobody has decided. `enabled`: the agent may use it. `off`: kept off. `quarantined`: the server changed it
   * after it was enabled. `gone`: the server no longer lists it.
   */
  state: mcpToolState,
  title: z.string().nullable(),
  /** What the server's annotations suggest: a hint, never a decision. */
  suggestedCapability: z.enum(capabilities),
  /** Of the object as last found. Send it when you enable the tool, so that you enable what you saw. */
  hash: z.string(),
  found: rawTool,
  /** As it was when enabled; null if it never was. For a quarantined tool, show the difference between `found` and this. */
  pinned: rawTool.nullable(),
  /** The server changed it after it was enabled, or a different server is at the address: only an admin may enable it. */
  changed: z.boolean(),
})

const serverShape = z.object({
  name: z.string(),
  version: z.string(),
  protocolVersion: z.string(),
  transport: z.enum(['streamable-http', 'sse']),
})

const mcpConnectorShape = z.object({
  id: z.string(),
  type: z.literal('mcp'),
  name: z.string(),
  slug: z.string(),
  url: z.string(),
  ...shownAuthFields,
  timeoutMs: z.number(),
  signRequests: z.boolean(),
  /** Null until the server was reached once. */
  server: serverShape.nullable(),
  health: healthShape,
  tools: z.array(mcpToolShape),
  /** Entries of the server's list that cannot be used. */
  refused: z.array(z.object({ name: z.string(), reason: z.string() })),
  version: z.number(),
  warnings: z.array(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type McpConnectorShape = z.output<typeof mcpConnectorShape>

// ── both types of connector, distinguished by `type` ──

const oneOf = 'Use "http" for a REST API or "mcp" for a remote MCP server.'

export const newConnectorShape = z.discriminatedUnion('type', [newHttpConnectorShape, newMcpConnectorShape], {
  error: oneOf,
})
export const connectorShape = z.discriminatedUnion('type', [httpConnectorShape, mcpConnectorShape])
export const unsavedAnyShape = z.discriminatedUnion('type', [unsavedConnectorShape, unsavedMcpServerShape], {
  error: oneOf,
})

/** A merge patch of either type: the stored type decides which fields are allowed. */
export const connectorPatchShape = httpConnectorPatchShape.extend({
  type: z.enum(['http', 'mcp'], oneOf).optional(),
  url: changedMcpFields.url,
})
export type ConnectorPatch = z.output<typeof connectorPatchShape>

/** For a tool of an MCP server, only `state`, `hash`, `capability` and `permission` can change. */
export const anyToolPatchShape = toolPatchShape.extend({
  state: z.enum(['enabled', 'off'], 'Use "enabled" or "off".').optional(),
  hash: z.string().optional(),
})
export type AnyToolPatch = z.output<typeof anyToolPatchShape>

export const anyTestResultShape = testResultShape.extend({
  /** Only for MCP servers that were reached: what the server reports about itself, and how many tools it lists. */
  server: serverShape.extend({ tools: z.number(), refused: z.number() }).nullable().optional(),
})
