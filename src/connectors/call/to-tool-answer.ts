import { hasTooManyValues } from '../../platform/json/has-too-many-values.ts'
import { isObject } from '../../platform/json/is-object.ts'
import { parseJson } from '../../platform/json/parse-json.ts'
import type { SendOutcome } from '../http/send-request.ts'
import type { SchemaCache } from '../schema/compile-schema.ts'
import type { ToolAnswer } from './callable-tool.ts'
import { maskedWarning } from './mask-credentials.ts'
import { warnOfSchemaMismatch } from './warn-of-schema-mismatch.ts'

/** The answer in the form that every connector gives to the agent. */
export function toToolAnswer(
  ctx: { connectors: { schemas: SchemaCache } },
  outcome: SendOutcome,
  { outputSchema, isRead }: { outputSchema: unknown; isRead: boolean },
): ToolAnswer {
  if (!outcome.ok) {
    const { code, message, mayHaveArrived } = outcome
    const unsure = mayHaveArrived ? ' The request may still have taken effect.' : ''
    const again = mayHaveArrived || code === 'timeout' ? mayReadAgain : ''
    const error = { code, message: message + (isRead ? again : unsure) }
    return { status: null, contentType: null, headers: '', body: '', images: [], error, warnings: [] }
  }
  const { status, contentType, headers, body } = outcome
  const warnings = outcome.hasMaskedCredential ? [maskedWarning] : []
  if (body.kind === 'text' && !body.isExact) {
    warnings.push(
      'The answer is not valid text in its declared encoding; unreadable bytes are shown as \ufffd.',
    )
  }
  const hasText = body.kind === 'text' && body.text !== ''
  if (status >= 200 && status < 300 && isObject(outputSchema) && hasText) {
    const isLarge = hasTooManyValues(Buffer.from(body.text), checkedBytes)
    warnings.push(
      ...(isLarge ? [unchecked] : warnOfSchemaMismatch(ctx, outputSchema, parseJson(body.text), notJson)),
    )
  }
  if (outcome.location !== null && status >= 300 && status < 400) {
    warnings.push(`Redirects are not followed; this one leads to ${outcome.location}.`)
  }
  switch (body.kind) {
    case 'text':
      return { status, contentType, headers, body: body.text, images: [], error: null, warnings }
    case 'image': {
      const text = `[image: ${body.mediaType}, ${body.bytes.length} bytes, SHA-256 ${body.sha256}]`
      const images = [{ mediaType: body.mediaType, base64: body.bytes.toString('base64') }]
      return { status, contentType, headers, body: text, images, error: null, warnings }
    }
    case 'binary': {
      const text = `[binary: ${body.mediaType ?? 'no media type'}, ${body.sizeBytes} bytes, SHA-256 ${body.sha256}]`
      return { status, contentType, headers, body: text, images: [], error: null, warnings }
    }
    default:
      throw new Error(`Unhandled body ${body satisfies never}`)
  }
}

/** For a read that got no answer for a reason that may pass: it changed nothing. */
export const mayReadAgain = ' It only reads, so it may be tried once more.'

/** An answer with more values than fit into this is not checked: parsing it would block the event loop. */
const checkedBytes = 2 * 1024 * 1024
const unchecked = 'The answer has too many values to be checked against the output schema.'
const notJson = 'The answer is not JSON, although the tool has an output schema.'
