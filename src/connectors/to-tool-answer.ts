import type { ToolAnswer } from './callable-tool.ts'
import type { JsonSchema } from './contract.ts'
import type { SendOutcome } from './http/send-request.ts'
import type { SchemaCache } from './schema/compile-schema.ts'
import { validateInput } from './schema/validate-input.ts'

/** What came back, in the form every connector gives to the agent. */
export function toToolAnswer(
  ctx: { schemas: SchemaCache },
  outcome: SendOutcome,
  outputSchema: unknown,
): ToolAnswer {
  if (!outcome.ok) {
    const unsure = outcome.mayHaveArrived ? ' The request may have taken effect all the same.' : ''
    const error = { code: outcome.code, message: outcome.message + unsure }
    return { status: null, contentType: null, body: '', images: [], error, warnings: [] }
  }
  const { status, contentType, body } = outcome
  const warnings = outcome.hasMaskedCredential
    ? ['The answer held a copy of the connector’s own credential, which is masked.']
    : []
  if (body.kind === 'text' && !body.isExact) {
    warnings.push(
      'The answer is not valid text in its declared encoding; unreadable bytes are shown as \ufffd.',
    )
  }
  if (status >= 200 && status < 300 && isSchema(outputSchema) && body.kind === 'text') {
    warnings.push(...outputFaults(ctx, outputSchema, body.text))
  }
  if (outcome.location !== null && status >= 300 && status < 400) {
    warnings.push(`Redirects are not followed; this one leads to ${outcome.location}.`)
  }
  switch (body.kind) {
    case 'text':
      return { status, contentType, body: body.text, images: [], error: null, warnings }
    case 'image': {
      const text = `[image: ${body.mediaType}, ${body.bytes.length} bytes, SHA-256 ${body.sha256}]`
      const images = [{ mediaType: body.mediaType, base64: body.bytes.toString('base64') }]
      return { status, contentType, body: text, images, error: null, warnings }
    }
    case 'binary': {
      const text = `[binary: ${body.mediaType ?? 'no media type'}, ${body.sizeBytes} bytes, SHA-256 ${body.sha256}]`
      return { status, contentType, body: text, images: [], error: null, warnings }
    }
    default:
      throw new Error(`Unhandled body ${body satisfies never}`)
  }
}

/** Only a warning: an API that answers unlike its description has answered. */
function outputFaults({ schemas }: { schemas: SchemaCache }, schema: JsonSchema, text: string): string[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return ['The answer is not JSON, although the tool has an output schema.']
  }
  return validateInput(schemas, schema, value)
    .slice(0, 5)
    .map(({ pointer, detail }) => `The answer does not fit the output schema at ${pointer || '/'}: ${detail}`)
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
