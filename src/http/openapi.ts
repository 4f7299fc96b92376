import { z } from 'zod'
import type { Route } from './api.ts'
import { renderApiDocs } from './api-docs.ts'
import { endpoint } from './endpoint.ts'
import { type ProblemType, problems } from './problems.ts'

/** As JSON for programs, and as an HTML page to read. */
export type ApiDescription = { json: string; page: string }

type Context = { apiDescription(): ApiDescription }

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

const define = endpoint<Context>()

export const openApiDocument = define({
  summary: 'This API as an OpenAPI 3.1 document',
  returns: z.record(z.string(), z.unknown()),
  answer: async ({ apiDescription }) =>
    new Response(apiDescription().json, { headers: { 'content-type': 'application/json' } }),
})

export const apiDocs = define({
  summary: 'This API as a page to read',
  mediaType: 'text/html',
  answer: async ({ apiDescription }) =>
    new Response(apiDescription().page, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
})

type Served = { version: string; publicUrl: string }

/** Built on the first request and then cached: building takes 100 ms, and anybody may ask. */
export function createOpenApi<Ctx>(
  routes: readonly Route<Ctx>[],
  served: () => Served,
): () => ApiDescription {
  let made: ApiDescription | undefined
  return () => {
    if (made) return made
    const api = describeApi(routes, served())
    made = { json: JSON.stringify(api), page: renderApiDocs(api) }
    return made
  }
}

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
function describeApi<Ctx>(routes: readonly Route<Ctx>[], { version, publicUrl }: Served): OpenApi {
  const paths: OpenApi['paths'] = {}
  for (const route of routes) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Bellhop', version, description: 'Errors are application/problem+json (RFC 9457).' },
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
        ...(mediaType ? { content: { [mediaType]: { schema: { type: 'string' } } } } : {}),
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
