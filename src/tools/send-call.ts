import type { AskPerson, ReadyCall, SignRequest, ToolAnswer } from '../connectors/call/callable-tool.ts'
import type { ToolMetrics } from './tool-metrics.ts'

/** Whether the run is still ours, by a clock that goes on while a process is suspended. */
export type Ownership = {
  isOwned(): boolean
  /** Renews a lease that has run out. Throws if another worker has the run by now. */
  ensure(): Promise<void>
}

/**
 * Sends the bytes that were fixed. With an `ownership`, only while it lasts, up to the first byte: if this process was suspended, its
 * successor may have told the model that the outcome is unknown, and a write that follows would contradict it.
 */
export async function sendCall(
  ctx: { metrics: ToolMetrics },
  prepared: ReadyCall,
  signal: AbortSignal,
  ownership?: Ownership,
  askPerson: AskPerson | null = null,
  sign?: SignRequest,
): Promise<ToolAnswer> {
  await ownership?.ensure()
  const startedAt = performance.now()
  const answer = await prepared.send(signal, ownership?.isOwned, askPerson, sign)
  ctx.metrics.toolCalls.observe(
    { outcome: answer.error?.code ?? 'answered' },
    (performance.now() - startedAt) / 1000,
  )
  return answer
}
