import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describeApi, type OpenApi, type Operation } from '../../src/http/openapi.ts'
import { routes } from '../../src/routes.ts'

const served = { version: '0', publicUrl: 'http://localhost' }
// What its code gains from being optimised is less than that takes.
const ajv = new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } })
type Found = (typeof routes)[number]
const operations = new Map<Found, Operation | undefined>()
const patterns = routes.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

/** Every answer of the API in a test must match `/api/openapi.json`: each field, and no other. */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  if (status >= 300 || body === undefined) return
  const pathname = path.split('?')[0] ?? ''
  const route = findRoute(method, pathname)
  if (!route) return
  if (!operations.has(route)) operations.set(route, describe(route))
  const described = operations.get(route)?.responses[status]
  assert.ok(described, `${method} ${pathname} answered ${status}, which is not described`)
  const schema = described.content?.['application/json']?.schema
  // z.toJSONSchema writes objects.
  const fits = schema === undefined || ajv.validate(schema as object, body)
  assert.ok(fits, `${method} ${pathname} is not as described: ${ajv.errorsText()}`)
}

function findRoute(method: string, pathname: string): Found | undefined {
  const fitting = patterns.filter(({ route, pattern }) => route.method === method && pattern.test(pathname))
  return (fitting.find(({ route }) => route.path === pathname) ?? fitting[0])?.route
}

/** As it is served, of this route alone: the whole description takes longer than many a test. */
function describe(route: Found): Operation | undefined {
  const api = JSON.parse(JSON.stringify(describeApi([route], served))) as OpenApi // our own description
  return api.paths[route.path]?.[route.method.toLowerCase()]
}
