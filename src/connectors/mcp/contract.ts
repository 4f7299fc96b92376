import { z } from 'zod'
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

/** The bearer token; `{"set":true}`, as it is read, means "leave it as it is". */
const token = z.union([z.string().min(1).max(8192), z.strictObject({ set: z.boolean() })])

const { name, timeoutMs } = newHttpConnectorShape.shape

const newMcpConnectorShape = z.strictObject({
  type: z.literal('mcp'),
  name,
  url,
  authValue: token.nullable().optional(),
  timeoutMs,
})
export type NewMcpConnector = z.output<typeof newMcpConnectorShape>

const unsavedMcpServerShape = z.object({
  type: z.literal('mcp'),
  name: z.string().default(''),
  url,
  authValue: token.nullable().optional(),
  timeoutMs,
})

const changedMcpFields = {
  name: name.optional(),
  url: url.optional(),
  authValue: token.nullable().optional(),
  timeoutMs: timeoutMs.nullable(),
}
export type McpConnectorPatch = z.output<z.ZodObject<typeof changedMcpFields>>

const mcpToolState = z.enum(['new', 'enabled', 'off', 'quarantined', 'gone'])

/** A tool as the server publishes it, or as it was when somebody enabled it: JSON text, keys in the server's order. */
const rawTool = z.string()

export const mcpToolShape = toolShape.extend({
  /**
   * `new`: found, nobody has decided. `enabled`: the agent may use it. `off`: kept off. `quarantined`: the server changed it
   * after it was enabled. `gone`: the server lists it no more.
   */
  state: mcpToolState,
  title: z.string().nullable(),
  /** What the server's annotations suggest: a hint, never a decision. */
  suggestedCapability: z.enum(capabilities),
  /** Of the object as it was found last. Send it along when you enable the tool, so that you enable what you saw. */
  hash: z.string(),
  found: rawTool,
  /** As it was enabled; null while it never was. A quarantined tool is shown as the difference of these two. */
  pinned: rawTool.nullable(),
  /** The server changed it after it was enabled, or another server has taken its place: only an admin enables it. */
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
  authValue: z.object({ set: z.boolean() }),
  timeoutMs: z.number(),
  /** Null until it was reached once. */
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

// ── both types of connector, told apart by `type` ──

const oneOf = 'Use "http" for a REST API or "mcp" for a remote MCP server.'

export const newConnectorShape = z.discriminatedUnion('type', [newHttpConnectorShape, newMcpConnectorShape], {
  error: oneOf,
})
export const connectorShape = z.discriminatedUnion('type', [httpConnectorShape, mcpConnectorShape])
export const unsavedAnyShape = z.discriminatedUnion('type', [unsavedConnectorShape, unsavedMcpServerShape], {
  error: oneOf,
})

/** A merge patch of either type: the stored type says which fields there are. */
export const connectorPatchShape = httpConnectorPatchShape.extend({
  type: z.enum(['http', 'mcp'], oneOf).optional(),
  url: changedMcpFields.url,
})
export type ConnectorPatch = z.output<typeof connectorPatchShape>

/**
 * A tool of an MCP server has only `state`, `hash`, `capability` and `permission` to change. `new` and `quarantined` take a
 * decision back.
 */
export const anyToolPatchShape = toolPatchShape.extend({
  state: z
    .enum(['enabled', 'off', 'new', 'quarantined'], 'Use "enabled" or "off"; "new" or "quarantined" to undo.')
    .optional(),
  hash: z.string().optional(),
})
export type AnyToolPatch = z.output<typeof anyToolPatchShape>

export const anyTestResultShape = testResultShape.extend({
  /** Only for MCP servers that were reached: what it says of itself, and how many tools it lists. */
  server: serverShape.extend({ tools: z.number(), refused: z.number() }).nullable().optional(),
})
