import { createHash } from 'node:crypto'
import type { RunId } from '../../../shared/ids.ts'
import type { Step } from '../journal.ts'

/**
 * Gives calls and their results ids that every provider accepts, since a thread may continue with another one. Mistral requires
 * exactly nine letters and digits, others accept any id. Our own ids, which read_more takes, stay as they are.
 */
export function renameCalls(runId: RunId, steps: readonly Step[]): Step[] {
  return steps.map((step) => {
    const rename = <T extends { toolCallId: string }>(part: T): T => ({
      ...part,
      // Some servers count from one in each step.
      toolCallId: shortIdOf(`${runId} ${step.seq} ${part.toolCallId}`),
    })
    return {
      ...step,
      answer: step.answer.map((message) =>
        typeof message.content === 'string'
          ? message
          : {
              ...message,
              content: message.content.map((part) => ('toolCallId' in part ? rename(part) : part)),
            },
      ),
      results: step.results?.map(rename) ?? null,
    }
  })
}

function shortIdOf(text: string): string {
  const digest = createHash('sha256').update(text).digest('base64')
  return digest.replaceAll(/[^a-zA-Z0-9]/g, '').slice(0, 9)
}
