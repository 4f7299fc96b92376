import type { ToolResultPart } from 'ai'
import type { Outcome } from '../../tools/gate/gate-call.ts'
import type { RequestedCall } from '../loop/journal.ts'
import { delimit } from './delimiter.ts'
import { mediaTypeOf } from './media-type-of.ts'
import { pageNote } from './paging/page-note.ts'
import { readPage } from './paging/read-page.ts'

export type ToolAnswer = Extract<Outcome, { kind: 'answered' }>['answer']
type Output = ToolResultPart['output']

type RenderOptions = { delimiter: string; maxBytes: number; takesImages: boolean; note?: string | null }

/** What the model gets for a call: a first line, then the answer between delimiter lines, exactly as received. */
export async function renderAnswer(
  call: RequestedCall,
  answer: ToolAnswer,
  look: RenderOptions,
): Promise<ToolResultPart> {
  return resultPart(call, await outputOf(call, answer, look))
}

export function resultPart({ providerId, name }: RequestedCall, output: Output): ToolResultPart {
  return { type: 'tool-result', toolCallId: providerId, toolName: name, output }
}

async function outputOf(call: RequestedCall, answer: ToolAnswer, look: RenderOptions): Promise<Output> {
  const text = await textOf(call, answer, look)
  if (answer.error) return { type: 'error-text', value: text }
  if (answer.images.length === 0 || !look.takesImages) return { type: 'text', value: text }
  return {
    type: 'content',
    value: [
      { type: 'text', text },
      ...answer.images.map(({ mediaType, base64 }) => ({
        type: 'file' as const,
        mediaType,
        data: { type: 'data' as const, data: base64 },
      })),
    ],
  }
}

async function textOf(
  call: RequestedCall,
  answer: ToolAnswer,
  { delimiter, maxBytes, note }: RenderOptions,
): Promise<string> {
  const page = await readPage(answer.body, { maxBytes })
  return [
    firstLine(answer),
    ...(note ? [note] : []),
    ...(answer.body === '' && answer.error ? [] : [delimit(delimiter, `answer of ${call.name}`, page.text)]),
    pageNote(call.callId, page),
    ...(answer.headers === '' ? [] : [delimit(delimiter, `headers of ${call.name}`, answer.headers)]),
  ]
    .filter((line) => line !== null)
    .join('\n')
}

function firstLine({ status, contentType, error }: ToolAnswer): string {
  if (error) return `error ${error.code}: ${error.message}`
  return [status === null ? 'ok' : `HTTP ${status}`, mediaTypeOf(contentType)].filter(Boolean).join(' ')
}
