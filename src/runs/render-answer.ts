import type { ToolResultPart } from 'ai'
import type { Outcome } from '../tools/call-tool.ts'
import { fence } from './fence.ts'
import type { AskedTool } from './journal.ts'
import { pageNote, readPage } from './read-page.ts'

type ToolAnswer = Extract<Outcome, { kind: 'answered' }>['answer']
type Output = ToolResultPart['output']

type Look = { fenceWord: string; maxChars: number; takesImages: boolean }

/** What the model gets for a call: a first line, then the answer between fence lines, exactly as it was received. */
export function renderAnswer(call: AskedTool, answer: ToolAnswer, look: Look): ToolResultPart {
  return resultPart(call, outputOf(call, answer, look))
}

export function resultPart({ providerId, name }: AskedTool, output: Output): ToolResultPart {
  return { type: 'tool-result', toolCallId: providerId, toolName: name, output }
}

function outputOf(call: AskedTool, answer: ToolAnswer, look: Look): Output {
  const text = textOf(call, answer, look)
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

function textOf(call: AskedTool, answer: ToolAnswer, { fenceWord, maxChars }: Look): string {
  const page = readPage(answer.body, { pointer: '', from: 0, maxChars })
  return [
    firstLine(answer),
    ...(answer.body === '' && answer.error ? [] : [fence(fenceWord, `answer of ${call.name}`, page.text)]),
    ...(page.whole ? [] : [pageNote(call.callId, page)]),
  ].join('\n')
}

function firstLine({ status, contentType, error }: ToolAnswer): string {
  if (error) return `error ${error.code}: ${error.message}`
  return [status === null ? 'ok' : `HTTP ${status}`, contentType].filter(Boolean).join(' ')
}
