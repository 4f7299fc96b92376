import { z } from 'zod'
import type { Route } from './api.ts'
import { renderApiDocs } from './api-docs.ts'
import { endpoint } from './endpoint.ts'
import { describeApi, type Served } from './openapi.ts'

/** As JSON for programs, and as an HTML page to read. */
export type ApiDescription = { json: string; page: string }

type Context = { apiDescription(): ApiDescription }

const define = endpoint<Context>()

export const openApiDocument = define({
  summary: 'API description as an OpenAPI 3.1 document',
  returns: z.record(z.string(), z.unknown()),
  answer: async ({ apiDescription }) =>
    new Response(apiDescription().json, { headers: { 'content-type': 'application/json' } }),
})

export const apiDocs = define({
  summary: 'API reference as a page',
  mediaType: 'text/html',
  answer: async ({ apiDescription }) =>
    new Response(apiDescription().page, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
})

/** Built on the first request and then cached: building takes 100 ms, and anybody may ask. */
export function createApiDescription<Ctx>(
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
