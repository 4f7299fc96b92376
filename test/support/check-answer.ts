import assert from 'node:assert/strict'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { createApiDescription } from '../../src/http/api-description.ts'
import type { OpenApi, Operation } from '../../src/http/openapi.ts'
import { routes } from '../../src/routes.ts'

const description = createApiDescription(routes, () => ({ version: '0', publicUrl: 'http://localhost' }))
const ajv = new Ajv2020({ strict: false, validateFormats: false })
const operations = new Map<string, Operation | undefined>()
let api: OpenApi | undefined

/** Every answer of the API in a test must match `/api/openapi.json`: each field, and no other. */
export function checkAnswer(method: string, path: string, status: number, body: unknown): void {
  if (status >= 300 || body === undefined) return
  const pathname = path.split('?')[0] ?? ''
  api ??= JSON.parse(description().json) as OpenApi // our own description, as it is served
  const key = `${method} ${pathname}`
  if (!operations.has(key)) operations.set(key, findOperation(api, method, pathname))
  const operation = operations.get(key)
  if (!operation) return
  const described = operation.responses[status]
  assert.ok(described, `${key} answered ${status}, which is not described`)
  const schema = described.content?.['application/json']?.schema
  // z.toJSONSchema writes objects.
  const fits = schema === undefined || ajv.validate(schema as object, body)
  assert.ok(fits, `${key} is not as described: ${ajv.errorsText()}`)
}

function findOperation({ paths }: OpenApi, method: string, pathname: string): Operation | undefined {
  const pattern = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  const path = paths[pathname] ? pathname : Object.keys(paths).find((one) => pattern(one).test(pathname))
  return path === undefined ? undefined : paths[path]?.[method.toLowerCase()]
}
