import { isObject } from '../../../platform/json/is-object.ts'
import type { ToolAnswer, ToolErrorCode } from '../../call/callable-tool.ts'
import { maskCredentials, maskedWarning } from '../../call/mask-credentials.ts'
import { mayReadAgain } from '../../call/to-tool-answer.ts'
import { warnOfSchemaMismatch } from '../../call/warn-of-schema-mismatch.ts'
import type { SchemaCache } from '../../schema/compile-schema.ts'
import type { McpFailure } from '../mcp-failure.ts'
import { contentForModel } from './answer-content.ts'
import type { CallOutcome, CallResult } from './call-server.ts'

type Call = {
  outcome: CallOutcome
  outputSchema: unknown
  isRead: boolean
  /** Texts that must not reach the agent. */
  credentials: readonly string[]
}

/** The answer in the form that every connector gives to the agent. */
export function toMcpAnswer(ctx: { connectors: { schemas: SchemaCache } }, call: Call): ToolAnswer {
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
      const error =
        code === mustVisitPage
          ? inputNeeded
          : { code: 'tool_error' as const, message: `${says} (error ${code}).` }
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
/** Of MCP: a person must open a page first, which the data names. */
const mustVisitPage = -32042

const inputNeeded = {
  code: 'input_needed' as const,
  message:
    'The server asks a person something before it goes on, so the call is not finished. Tell the people here what it asks; nobody could be asked in their place, so the answer can only be given to the server itself, or as an input of another call.',
}

const notStructured = 'The answer has no structured content, although the tool has an output schema.'
const unknownOutcome =
  'The call may or may not have taken effect, and was not sent again. Check the target before you ask for it once more.'

function ofResult(
  ctx: { connectors: { schemas: SchemaCache } },
  result: CallResult,
  outputSchema: unknown,
): ToolAnswer {
  if (result.resultType === 'input_required') {
    const body = JSON.stringify({ inputRequests: result.inputRequests })
    return {
      status: 200,
      contentType: 'application/json',
      headers: '',
      body,
      images: [],
      error: inputNeeded,
      warnings: [],
    }
  }
  const warnings =
    isObject(outputSchema) && result.isError !== true
      ? warnOfSchemaMismatch(ctx, outputSchema, result.structuredContent, notStructured)
      : []
  const error =
    result.isError === true ? { code: 'tool_error' as const, message: 'The tool reports a failure.' } : null
  const { result: told, images } = contentForModel(result)
  const only = onlyText(told)
  const answer = { status: 200, headers: '', images, error, warnings, mcp: blocksOf(result) }
  return only === null
    ? { ...answer, contentType: 'application/json', body: JSON.stringify(told) }
    : { ...answer, contentType: 'text/plain', body: only }
}

function blocksOf({ content, structuredContent }: CallResult): NonNullable<ToolAnswer['mcp']> {
  return {
    content: Array.isArray(content) ? content : [],
    ...(isObject(structuredContent) ? { structuredContent } : {}),
  }
}

/** A single text needs no wrapping; anything richer is returned as the JSON of the result. */
function onlyText({ content, isError: _isError, ...rest }: CallResult): string | null {
  if (Object.keys(rest).length > 0 || !Array.isArray(content) || content.length !== 1) return null
  const [block] = content as unknown[]
  if (!isObject(block) || block.type !== 'text' || typeof block.text !== 'string') return null
  return Object.keys(block).length === 2 ? block.text : null
}

function masked(answer: ToolAnswer, credentials: readonly string[]): ToolAnswer {
  const body = maskCredentials(answer.body, credentials)
  if (body === answer.body) return answer
  const { mcp, ...rest } = answer
  const warnings = [...answer.warnings, maskedWarning]
  if (!mcp) return { ...rest, body, warnings }
  // The mask has no character that JSON would escape.
  const blocks = JSON.parse(maskCredentials(JSON.stringify(mcp), credentials)) as typeof mcp
  return { ...rest, body, mcp: blocks, warnings }
}
