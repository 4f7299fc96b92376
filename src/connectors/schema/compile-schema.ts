import { createHash } from 'node:crypto'
import { Ajv, type AnySchema, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { FieldError } from '../../http/problems.ts'
import { asError } from '../../platform/as-error.ts'
import type { JsonSchema } from '../contract.ts'
import { boundedPattern } from './bounded-pattern.ts'
import { runWithTimeout } from './run-with-timeout.ts'

export type CompiledSchema =
  | { ok: true; validate: ValidateFunction; mayTakeLong: boolean }
  | { ok: false; faults: FieldError[] }

const options: Options = {
  code: { regExp: Object.assign(boundedPattern, { code: 'boundedPattern' }) },
  strict: false,
  // A number that overflows to Infinity in JavaScript is a valid number in JSON.
  strictNumbers: false,
  allErrors: true,
  // Unknown formats and keywords are annotations (2020-12): they neither fail nor fill the log.
  logger: false,
  validateSchema: false,
  meta: false,
  messages: true,
  verbose: false,
}

/**
 * With these keywords a check can take more than linear time; without them each part of the value meets each part of the schema
 * once. Watching the time costs more than most checks, so only schemas with these words are watched. A property with such a name
 * is watched needlessly.
 */
const slowKeywords =
  /"(anyOf|oneOf|allOf|not|if|\$ref|\$dynamicRef|\$recursiveRef|dependentSchemas|uniqueItems|pattern|patternProperties|propertyNames|format)":/
/** A longer schema may have thousands of parts, and each item of a list is checked against all of them. */
const shortSchema = 8_000

/** Blocks the event loop meanwhile. Ordinary schemas take milliseconds. */
const timeoutMs = 2_000

/** Each schema gets its own compiler, since a shared one would confuse equal `$id`s. The meta-schemas are shared. */
export function compileSchema(schema: JsonSchema): CompiledSchema {
  const isDraft7 = typeof schema.$schema === 'string' && /draft-0[4-7]/.test(schema.$schema)
  const meta = isDraft7 ? metaDraft7() : meta2020()
  const { $schema: _declared, ...rest } = schema
  if (!meta(rest)) return { ok: false, faults: (meta.errors ?? []).map(schemaFault) }
  const compile = () => {
    const ajv = isDraft7 ? new Ajv(options) : new Ajv2020(options)
    addFormats.default(ajv)
    // The meta-schema has accepted it.
    return ajv.compile(rest as AnySchema)
  }
  try {
    const compiled = runWithTimeout(timeoutMs, compile)
    if (!compiled.done) return { ok: false, faults: [{ pointer: '', detail: tooComplicated }] }
    const text = JSON.stringify(rest)
    const mayTakeLong = text.length > shortSchema || slowKeywords.test(text)
    return { ok: true, validate: compiled.value, mayTakeLong }
  } catch (error) {
    const detail = asError(error).message
    return { ok: false, faults: [{ pointer: '', detail: `The schema cannot be used: ${detail}.` }] }
  }
}

const tooComplicated = 'The schema is too large or too complicated to be used. Make it smaller.'

function schemaFault(error: ErrorObject): FieldError {
  const allowed = Array.isArray(error.params.allowedValues)
    ? `: ${error.params.allowedValues.join(', ')}`
    : ''
  return {
    pointer: error.instancePath,
    detail: `This ${error.message ?? 'is not valid JSON Schema'}${allowed}.`,
  }
}

const metaDraft7 = once(() =>
  metaValidator(new Ajv({ strict: false, logger: false }), 'http://json-schema.org/draft-07/schema'),
)
const meta2020 = once(() =>
  metaValidator(
    new Ajv2020({ strict: false, logger: false }),
    'https://json-schema.org/draft/2020-12/schema',
  ),
)

function metaValidator(ajv: Ajv, id: string): ValidateFunction {
  const validate = ajv.getSchema(id)
  if (!validate) throw new Error(`Ajv does not know ${id}.`)
  return validate
}

/** Compiling the meta-schemas takes tens of milliseconds, so it is done on first use, once. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

export type SchemaCache = { compile(schema: JsonSchema): CompiledSchema }

/** Keeps the most recently used compiled schemas, by content. */
export function createSchemaCache(maxEntries = 500): SchemaCache {
  const kept = new Map<string, CompiledSchema>()
  const keys = new WeakMap<JsonSchema, string>()
  return {
    compile(schema) {
      const key = keys.get(schema) ?? createHash('sha256').update(JSON.stringify(schema)).digest('base64')
      keys.set(schema, key)
      const compiled = kept.get(key) ?? compileSchema(schema)
      kept.delete(key)
      // A timeout on a busy machine is not cached: it may work the next time.
      if (compiled.ok) kept.set(key, compiled)
      const oldest = kept.keys().next()
      if (kept.size > maxEntries && !oldest.done) kept.delete(oldest.value)
      return compiled
    },
  }
}
