import { createHash } from 'node:crypto'
import { isObject } from '../../platform/json/is-object.ts'
import type { ToolAnswer, ToolErrorCode } from '../call/callable-tool.ts'
import { imageTypeOf } from '../call/image-type-of.ts'
import { maskCredentials, maskedWarning } from '../call/mask-credentials.ts'
import { mayReadAgain } from '../call/to-tool-answer.ts'
import { warnOfSchemaMismatch } from '../call/warn-of-schema-mismatch.ts'
import type { SchemaCache } from '../schema/compile-schema.ts'
import type { CallOutcome, CallResult } from './call-server.ts'
import type { McpFailure } from './mcp-failure.ts'

type Call = {
  outcome: CallOutcome
  outputSchema: unknown
  isRead: boolean
  /** Texts that must not reach the agent. */
  credentials: readonly string[]
}

/** The answer in the form that every connector gives to the agent. */
export function toMcpAnswer(ctx: { schemas: SchemaCache }, call: Call): ToolAnswer {
  const { outcome } = call
  switch (outcome.kind) {
    case 'result':
      return masked(ofResult(ctx, outcome.result, call.outputSchema), call.credentials)
    case 'error': {
      // The data may be what matters: with -32042 it names the page where a person must agree first.
      const { code, message, data } = outcome
      const body = JSON.stringify({ error: { code, message, data } })
      const says =
        code === internalError ? 'The server failed to carry out the call' : 'The server refused the call'
      const error = { code: 'tool_error' as const, message: `${says} (error ${code}).` }
      return masked(
        { status: 200, contentType: 'application/json', headers: '', body, images: [], error, warnings: [] },
        call.credentials,
      )
    }
    case 'failure': {
      const { code, plainMessage: message, serverMessage, tookNoEffect } = outcome.failure
      const isUnknown = !call.isRead && !tookNoEffect
      const error = isUnknown
        ? { code: 'outcome_unknown' as const, message: `${message} ${unknownOutcome}` }
        : {
            code: toolErrorCodeOf(code),
            message: call.isRead && code === 'timeout' ? message + mayReadAgain : message,
          }
      const answer = {
        status: null,
        contentType: null,
        headers: '',
        body: serverMessage,
        images: [],
        error,
        warnings: [],
      }
      return masked(answer, call.credentials)
    }
    default:
      throw new Error(`Unhandled outcome ${outcome satisfies never}`)
  }
}

function toolErrorCodeOf(code: McpFailure['code']): ToolErrorCode {
  switch (code) {
    case 'not_connected':
      return 'denied'
    case 'unauthorized':
    case 'sign_in_required':
    case 'forbidden':
      return 'connection_failed'
    default:
      return code
  }
}

/** Of JSON-RPC: a fault of the server, not of the call. */
const internalError = -32603

const notStructured = 'The answer has no structured content, although the tool has an output schema.'
const unknownOutcome =
  'The call may or may not have taken effect, and was not sent again. Check the target before you ask for it once more.'

function ofResult(ctx: { schemas: SchemaCache }, result: CallResult, outputSchema: unknown): ToolAnswer {
  const warnings =
    isObject(outputSchema) && result.isError !== true
      ? warnOfSchemaMismatch(ctx, outputSchema, result.structuredContent, notStructured)
      : []
  const error =
    result.isError === true ? { code: 'tool_error' as const, message: 'The tool reports a failure.' } : null
  const only = onlyText(result)
  if (only !== null)
    return { status: 200, contentType: 'text/plain', headers: '', body: only, images: [], error, warnings }
  const images: ToolAnswer['images'] = []
  const body = JSON.stringify(withoutBytes(result, images))
  return { status: 200, contentType: 'application/json', headers: '', body, images, error, warnings }
}

/** A single text needs no wrapping; anything richer is returned as the JSON of the result. */
function onlyText({ content, isError: _isError, ...rest }: CallResult): string | null {
  if (Object.keys(rest).length > 0 || !Array.isArray(content) || content.length !== 1) return null
  const [block] = content as unknown[]
  if (!isObject(block) || block.type !== 'text' || typeof block.text !== 'string') return null
  return Object.keys(block).length === 2 ? block.text : null
}

/** Images are returned beside the text, other binary data is described. Everything else stays as it came. */
function withoutBytes(result: CallResult, images: ToolAnswer['images']): CallResult {
  if (!Array.isArray(result.content)) return result
  return { ...result, content: result.content.map((block: unknown) => describeBytes(block, images)) }
}

function describeBytes(block: unknown, images: ToolAnswer['images']): unknown {
  if (!isObject(block)) return block
  if ((block.type === 'image' || block.type === 'audio') && typeof block.data === 'string') {
    const bytes = Buffer.from(block.data, 'base64')
    const mediaType = block.type === 'image' ? imageTypeOf(bytes) : null
    if (mediaType) images.push({ mediaType, base64: bytes.toString('base64') })
    return { ...block, data: describe(mediaType ? `image ${images.length}` : 'binary', bytes) }
  }
  const { resource } = block
  if (block.type === 'resource' && isObject(resource) && typeof resource.blob === 'string') {
    return {
      ...block,
      resource: { ...resource, blob: describe('binary', Buffer.from(resource.blob, 'base64')) },
    }
  }
  return block
}

function describe(what: string, bytes: Buffer): string {
  return `[${what}: ${bytes.length} bytes, SHA-256 ${createHash('sha256').update(bytes).digest('hex')}]`
}

function masked(answer: ToolAnswer, credentials: readonly string[]): ToolAnswer {
  const body = maskCredentials(answer.body, credentials)
  return body === answer.body ? answer : { ...answer, body, warnings: [...answer.warnings, maskedWarning] }
}
