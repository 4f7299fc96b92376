import { z } from 'zod'
import type { Route } from './api.ts'
import { type ProblemType, problems } from './problems.ts'

export type Operation = {
  summary: string
  description: string
  operationId: string
  tags: string[]
  security?: Record<string, string[]>[]
  parameters: { name: string; in: 'path' | 'query'; required: boolean; schema: unknown }[]
  requestBody?: { required: boolean; content: Record<string, { schema: unknown }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: unknown }> }>
}

export type OpenApi = {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  components: Record<string, unknown>
  paths: Record<string, Record<string, Operation>>
}

export type Served = { version: string; publicUrl: string }

/** The shape that `problemBody` writes. */
const problemSchema = {
  type: 'object',
  properties: {
    type: { type: 'string', enum: Object.keys(problems) },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    instance: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        properties: { pointer: { type: 'string' }, detail: { type: 'string' } },
        required: ['pointer', 'detail'],
      },
    },
  },
  required: ['type', 'title', 'status', 'detail', 'instance'],
}
const problemContent = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }

/** The description is made from the routes themselves, so it cannot fall behind them. */
export function describeApi<Ctx>(routes: readonly Route<Ctx>[], { version, publicUrl }: Served): OpenApi {
  const paths: OpenApi['paths'] = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bellhop',
      version,
      description:
        'Errors are application/problem+json (RFC 9457). Query parameters that an operation does not name are ignored.',
    },
    servers: [{ url: publicUrl }],
    components: {
      schemas: { Problem: problemSchema },
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, blh_…' },
        session: { type: 'apiKey', in: 'cookie', name: 'bellhop' },
      },
    },
    paths,
  }
}

function operation<Ctx>({ method, path, access, endpoint: described }: Route<Ctx>): Operation {
  const { summary, params, query, body, returns, mediaType, streams, status } = described
  return {
    summary,
    description: access === 'anyone' ? 'Open to anyone.' : `Needs the role ${access}.`,
    operationId: `${method.toLowerCase()}${path
      .replace('/api/v1', '')
      .replaceAll(/[/{}.-]+(\w)/g, (_, letter: string) => letter.toUpperCase())
      .replaceAll(/\W/g, '')}`,
    tags: [path.replace('/api/v1', '').split('/')[1] ?? 'health'],
    ...(access === 'anyone' ? {} : { security: [{ apiKey: [] }, { session: [] }] }),
    parameters: [...parameters('path', params), ...parameters('query', query)],
    ...(body
      ? {
          requestBody: {
            required: !body.safeParse(undefined).success,
            content: { 'application/json': { schema: jsonSchema(body, 'input') } },
          },
        }
      : {}),
    responses: {
      [status]: {
        description: 'Done',
        ...(returns ? { content: { 'application/json': { schema: jsonSchema(returns, 'output') } } } : {}),
        ...(mediaType ? { content: { [mediaType]: { schema: textOrDocument(mediaType) } } } : {}),
        ...(streams ? { content: { 'text/event-stream': { schema: eventSchema(streams) } } } : {}),
      },
      ...problemResponses([
        ...(described.problems ?? []),
        ...(body || query ? (['invalid-input'] as const) : []),
      ]),
      // Errors that any endpoint may answer with: not signed in, not allowed, unreadable body, no database.
      default: { description: 'Any other problem', content: problemContent },
    },
  }
}

/** A JSON document in the words of another standard is not described field by field. */
function textOrDocument(mediaType: string) {
  return { type: mediaType === 'application/json' ? 'object' : 'string' }
}

function parameters(place: 'path' | 'query', shape: z.ZodObject | undefined): Operation['parameters'] {
  if (!shape) return []
  return Object.entries(shape.shape).map(([name, type]) => ({
    name,
    in: place,
    required: place === 'path',
    // The values of a zod object's shape are zod types; the core type only hides their methods.
    schema: jsonSchema(type as z.ZodType, 'input'),
  }))
}

function problemResponses(types: readonly ProblemType[]): Operation['responses'] {
  const byStatus = Map.groupBy(new Set(types), (type) => problems[type].status)
  return Object.fromEntries(
    [...byStatus].map(([status, sameStatus]) => [
      status,
      {
        description: sameStatus.map((type) => `${type}: ${problems[type].title}`).join('; '),
        content: problemContent,
      },
    ]),
  )
}

/** One server-sent event: its name, and the JSON shape of its data. */
function eventSchema(streams: Readonly<Record<string, z.ZodType>>): unknown {
  return {
    oneOf: Object.entries(streams).map(([name, shape]) => ({
      type: 'object',
      properties: { event: { const: name }, data: jsonSchema(shape, 'output') },
    })),
  }
}

function jsonSchema(shape: z.ZodType, io: 'input' | 'output'): unknown {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io, unrepresentable: 'any' })
  return schema
}
