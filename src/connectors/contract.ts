import { z } from 'zod'
import { authFields, authPatchFields, authTypes, oauthInput, shownAuthFields } from './auth/contract.ts'

export const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
export type Method = (typeof methods)[number]

export const capabilities = ['read', 'write', 'destructive'] as const
export type Capability = (typeof capabilities)[number]

export const permissions = ['auto', 'approve', 'confirm', 'off'] as const
export type Permission = (typeof permissions)[number]

/** The permission of a tool unless somebody sets another (specification 2.4). */
export const defaultPermission = {
  read: 'auto',
  write: 'approve',
  destructive: 'confirm',
} as const satisfies Record<Capability, Permission>

/** Passed on as the same object: a copy made by the parser could lose keys or their order. */
const schemaObject = z
  .unknown()
  .refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'Write a JSON Schema object, for example {"type":"object","properties":{}}.',
  })
  .transform((value) => value as JsonSchema)
  .meta({
    type: 'object',
    description: 'A JSON Schema (2020-12, or draft-07 where $schema says so), kept unchanged.',
  })

export type JsonSchema = { [keyword: string]: unknown }

/** For a whole call, unless the connector sets its own. */
export const defaultTimeoutMs = 30_000

const place = z.enum(['query', 'header', 'body', 'wholeBody'])

/**
 * In queries and forms: `a=1&a=2` (repeat), `a=1,2` (comma), `a=1|2` (pipe), `a=1 2` (space), `a=[1,2]` (json) or `a[]=1&a[x]=2`
 * (brackets).
 */
const styleShape = z.enum(['repeat', 'comma', 'pipe', 'space', 'json', 'brackets'])
export type Style = z.output<typeof styleShape>

/** Where an input goes. The long form sets its name on the wire, or how lists and objects are written. */
const locationShape = z.union([
  place,
  z.strictObject({
    in: place,
    name: z.string().min(1).max(256).optional(),
    style: styleShape.optional(),
  }),
])
export type Location = z.output<typeof locationShape>

/** PostgreSQL cannot store NUL in text, and nobody means to send one. */
function text(complaint: string) {
  return z
    .string(complaint)
    .refine((value) => !value.includes('\0'), { error: 'A NUL character is not allowed here.' })
}

const toolName = z
  .string('Give the tool a name.')
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, 'Use 1 to 64 letters, digits, "_" or "-".')

const describe = 'Describe to the agent what the tool does.'

const toolFields = {
  name: toolName,
  description: text(describe)
    .max(10_000)
    .refine((words) => words.trim() !== '', { error: describe }),
  method: z.enum(methods, `Use one of ${methods.join(', ')}.`),
  path: text('Write the path below the base URL, for example /orders/{id}.').max(4096),
  capability: z.enum(capabilities, `Use one of ${capabilities.join(', ')}.`),
  permission: z.enum(permissions, `Use one of ${permissions.join(', ')}.`).optional(),
  locations: z.record(z.string(), locationShape).optional(),
  /** How inputs in the body are written: as JSON, or like an HTML form. */
  bodyFormat: z.enum(['json', 'form']).optional(),
  inputSchema: schemaObject,
  outputSchema: schemaObject.nullable().optional(),
}

export const newToolShape = z.strictObject(toolFields)
export type NewTool = z.output<typeof newToolShape>

export const toolPatchShape = z
  .strictObject({
    ...toolFields,
    permission: toolFields.permission.nullable(),
    locations: z.record(z.string(), locationShape.nullable()).nullable().optional(),
    bodyFormat: toolFields.bodyFormat.nullable(),
  })
  .partial()
export type ToolPatch = z.output<typeof toolPatchShape>

const connectorFields = {
  name: text('Give the connector a name.').trim().min(1, 'Give the connector a name.').max(100),
  baseUrl: text('Write the root URL of the API, for example https://api.example.com/v1.').max(2048),
  ...authFields,
  timeoutMs: z
    .number()
    .int()
    .min(100, 'Use 100 to 120000 milliseconds.')
    .max(120_000, 'Use 100 to 120000 milliseconds.')
    .optional(),
  /** What people approve is sent with a receipt and a signature that the target can verify (docs/receipts.md). */
  signRequests: z.boolean().optional(),
  tools: z.array(newToolShape).max(2000).default([]),
}

export const newHttpConnectorShape = z.strictObject({ type: z.literal('http'), ...connectorFields })
export type NewHttpConnector = z.output<typeof newHttpConnectorShape>

/** A merge patch (RFC 7396): absent fields stay, `null` clears. */
export const httpConnectorPatchShape = z
  .strictObject({
    type: z.literal('http'),
    name: connectorFields.name,
    baseUrl: connectorFields.baseUrl,
    ...authPatchFields,
    timeoutMs: connectorFields.timeoutMs.nullable(),
    signRequests: connectorFields.signRequests.nullable(),
    tools: z.array(newToolShape).max(2000).nullable(),
  })
  .partial()
export type HttpConnectorPatch = z.output<typeof httpConnectorPatchShape>

/** What a model provider would refuse or misread. The schema itself stays as it is. */
const warningShape = z.object({
  provider: z.enum(['anthropic', 'openai', 'google', 'all']),
  pointer: z.string(),
  detail: z.string(),
})
export type Warning = z.output<typeof warningShape>

export const toolShape = z.object({
  id: z.string(),
  connectorId: z.string(),
  name: z.string(),
  /** The name under which the agent calls it. */
  modelName: z.string(),
  description: z.string(),
  method: z.enum(methods).nullable(),
  path: z.string().nullable(),
  capability: z.enum(capabilities),
  permission: z.enum(permissions),
  /** False while the permission follows from the capability. */
  permissionIsSet: z.boolean(),
  locations: z.record(z.string(), locationShape),
  bodyFormat: z.enum(['json', 'form']),
  inputSchema: z.unknown(),
  outputSchema: z.unknown().nullable(),
  version: z.number(),
  warnings: z.array(warningShape),
})

export const healthShape = z.object({
  lastContactAt: z.string().nullable(),
  /** Null once it was reached again. */
  lastError: z.string().nullable(),
  lastErrorAt: z.string().nullable(),
})

export const httpConnectorShape = z.object({
  id: z.string(),
  type: z.literal('http'),
  name: z.string(),
  slug: z.string(),
  baseUrl: z.string(),
  ...shownAuthFields,
  timeoutMs: z.number(),
  signRequests: z.boolean(),
  /** The result of the last use or test. */
  health: healthShape,
  tools: z.array(toolShape),
  version: z.number(),
  warnings: z.array(z.string()),
  createdAt: z.string(),
  updatedAt: z.string(),
})

/** What is needed to reach a connector; the test ignores tools. */
export const unsavedConnectorShape = z.object({
  type: z.literal('http').default('http'),
  name: z.string().default(''),
  baseUrl: connectorFields.baseUrl,
  ...authFields,
})

export const testResultShape = z.object({
  reachable: z.boolean(),
  status: z.number().nullable(),
  timeMs: z.number(),
  /** The IP address the name resolved to, if it was allowed. */
  address: z.string().nullable(),
  tls: z.object({ protocol: z.string(), validTo: z.string() }).nullable(),
  problem: z.object({ code: z.string(), message: z.string(), rule: z.string().nullable() }).nullable(),
})

export const trialShape = z
  .strictObject({
    input: z.unknown().default({}),
    dryRun: z.boolean().default(false),
    /** For tools that are not `read`: `true`, or the digest of the request that the person saw. */
    confirm: z.union([z.boolean(), z.string()]).default(false),
  })
  .prefault({})

/** Exactly what is sent, secrets masked. */
export const shownRequestShape = z.object({
  method: z.string(),
  url: z.string(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
})

export const trialResultShape = z.object({
  request: shownRequestShape,
  digest: z.string(),
  response: z
    .object({
      status: z.number(),
      contentType: z.string().nullable(),
      body: z.string(),
      images: z.array(z.object({ mediaType: z.string(), base64: z.string() })),
    })
    .nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  warnings: z.array(z.string()),
  timeMs: z.number().nullable(),
})

export const importShape = z
  .strictObject({
    /** The text of an OpenAPI document (JSON or YAML), or the document itself. */
    openapi: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
    curl: z.string().max(1_000_000).optional(),
    /** The address of an OpenAPI document. */
    url: z.string().max(2048).optional(),
  })
  .refine(
    (given) => [given.openapi, given.curl, given.url].filter((part) => part !== undefined).length === 1,
    {
      error: 'Send one of openapi, curl and url.',
    },
  )

/** What would be saved if everything were picked. Nothing is saved yet. */
export const importPreviewShape = z.object({
  connector: z.object({
    type: z.literal('http'),
    name: z.string(),
    baseUrl: z.string(),
    defaultHeaders: z.record(z.string(), z.string()),
    authType: z.enum(authTypes),
    authName: z.string().optional(),
    authValue: z.string().optional(),
    oauth: oauthInput.optional(),
  }),
  tools: z.array(newToolShape),
  /** Tools that seem only to ask for something although their method is POST: an admin may make them `read`. */
  onlyQueries: z.array(z.string()),
  skipped: z.array(z.object({ operation: z.string(), reason: z.string() })),
  warnings: z.array(z.string()),
})
export type ImportPreview = z.output<typeof importPreviewShape>

/** A tool as the agent may call it now. */
export const callableToolShape = z.object({
  id: z.string(),
  connectorId: z.string(),
  /** The name that the agent uses, for example `shop__refund_order`. */
  name: z.string(),
  description: z.string(),
  capability: z.enum(capabilities),
  permission: z.enum(permissions),
})
