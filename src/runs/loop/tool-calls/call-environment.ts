import type { ChannelId, MessageId, RunId, ToolCallId } from '../../../shared/ids.ts'
import type { LimitingPlace } from '../../../tools/gate/decide-call.ts'
import type { GateCall } from '../../../tools/gate/gate-call.ts'
import type { Run } from '../../store/run-rows.ts'
import type { RequestedCall } from '../journal.ts'
import type { ToolSet } from './tool-set.ts'

/** What the agent has at hand while it works on a run. */
export type CallEnvironment = {
  run: Run
  set: ToolSet
  /** How much of one answer is shown at once, and of all answers of a step together, in bytes of UTF-8. */
  maxBytes: { each: number; together: number }
  takesImages: boolean
  /** The event's body, for read_more. */
  eventText: string | null
  /** The runs of earlier turns in the thread: read_more reads their answers, too. */
  earlierRunIds: readonly RunId[]
  /** The runs whose answers the model has before it: this one, those of earlier turns, and those it looked back at. */
  conversation: readonly RunId[]
  /** The calls of the step that is answered now. */
  stepCallIds: readonly ToolCallId[]
  /** The thread in which an admin is asked; null asks in the channel. */
  askIn: MessageId | null
  /** This worker has just taken the step, so none of its calls can be stored already. */
  isFresh: boolean
}

type Given = Pick<CallEnvironment, 'askIn' | 'isFresh' | 'conversation' | 'stepCallIds'>

export function toGateCall(run: Run, call: RequestedCall, given: Partial<Given> = {}): GateCall {
  const { askIn = run.threadId, isFresh = false, conversation = [run.id], stepCallIds = [] } = given
  if (run.channelId === null) throw new Error(`Run ${run.id} has no channel to ask in.`)
  return {
    callId: call.callId,
    runId: run.id,
    name: call.name,
    input: call.input,
    requester: run.requester,
    limitedBy: limitsOf(run, run.channelId),
    ceiling: run.ceiling,
    connectorIds: run.connectorIds,
    readsAcross: run.readsAcross,
    conversation,
    alongside: stepCallIds,
    channelId: run.channelId,
    threadId: askIn,
    fence: run.fence,
    isFresh,
  }
}

/**
 * The place whose current limits apply. None for a replay, whose connectors somebody chose, and for a call over MCP, which has no
 * channel.
 */
function limitsOf({ trigger, sourceId, threadSourceId }: Run, channelId: ChannelId): LimitingPlace | null {
  const source = sourceId ?? threadSourceId
  if (trigger === 'replay' || trigger === 'mcp') return null
  return source ? { sourceId: source } : { channelId }
}
