import { upgrade } from '@scalar/openapi-parser'
import { parse as parseYaml } from 'yaml'
import { isObject } from '../../../platform/json/is-object.ts'
import type { Json } from '../json-parts.ts'
import { expandParameters } from './expand-parameters.ts'

/** Its message tells the person what is wrong with their document. */
export class DocumentError extends Error {}

/** JSON or YAML, OpenAPI 2.0 or 3.x: all become OpenAPI 3.1, whose schemas are JSON Schema. */
export function readDocument(text: string): Json {
  const parsed = parseText(text)
  if (!isObject(parsed)) throw new DocumentError('The document is neither a JSON nor a YAML object.')
  const document = withVersionAsText(parsed)
  if (document.swagger !== '2.0' && !/^3\.\d/.test(String(document.openapi))) {
    throw new DocumentError(
      'This is not an OpenAPI document: it has neither "swagger": "2.0" nor "openapi": "3.…".',
    )
  }
  try {
    const whole = document.swagger === '2.0' ? expandParameters(document) : document
    // Any object: what is wrong in it is thrown, or shows in what comes back.
    const { specification } = upgrade(whole as Parameters<typeof upgrade>[0])
    if (isObject(specification)) return specification
  } catch (cause) {
    throw new DocumentError('The document could not be read as OpenAPI.', { cause })
  }
  throw new DocumentError('The document could not be read as OpenAPI.')
}

/** YAML reads `swagger: 2.0` and `openapi: 3.0` as the numbers 2 and 3. */
function withVersionAsText(document: Json): Json {
  const { swagger, openapi } = document
  if (typeof swagger === 'number') return { ...document, swagger: swagger.toFixed(1) }
  if (typeof openapi === 'number') return { ...document, openapi: `${openapi.toFixed(1)}.0` }
  return document
}

function parseText(text: string): unknown {
  if (/^\s*[[{]/.test(text)) {
    try {
      return JSON.parse(text)
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause
      // YAML also allows braces; if it fails too, its message is shown.
    }
  }
  const parsed = readYaml(text)
  try {
    JSON.stringify(parsed)
  } catch (cause) {
    throw new DocumentError(
      'A part of the document contains itself (&name … *name). Refer to it with $ref.',
      {
        cause,
      },
    )
  }
  return parsed
}

function readYaml(text: string): unknown {
  try {
    // The limit stops documents in which a few lines expand to gigabytes.
    return parseYaml(text, { maxAliasCount: 100, merge: true, logLevel: 'error' })
  } catch (cause) {
    const why = cause instanceof Error ? (cause.message.split('\n')[0] ?? '').replace(/:$/, '.') : ''
    throw new DocumentError(`The document is neither valid JSON nor valid YAML: ${why}`, { cause })
  }
}
