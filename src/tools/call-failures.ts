import type { Approval } from '../approvals/approval.ts'
import type { ToolAnswer, ToolErrorCode } from '../connectors/call/callable-tool.ts'

export function noSuchTool(name: string): string {
  return `There is no tool ${name} here. Use one of the tools you were given.`
}

/** The answer of a call that got none. */
export function failure(code: ToolErrorCode, message: string): ToolAnswer {
  const none = { status: null, contentType: null, headers: '', body: '', images: [] }
  return { ...none, error: { code, message }, warnings: [] }
}

/** What the agent is told of a call that waited and was not approved. */
export function refusalOf(approval: Pick<Approval, 'status' | 'decidedBy' | 'reason'> | null): ToolAnswer {
  const { status = 'void', decidedBy = null, reason = null } = approval ?? {}
  const why = reason ? `: ${reason}` : '.'
  if (status === 'denied') return failure('denied', `${decidedBy?.name ?? 'An admin'} denied it${why}`)
  if (status === 'expired')
    return failure('approval_expired', 'No admin decided in time, so it was not sent.')
  return decidedBy
    ? failure('withdrawn', `${decidedBy.name} withdrew it${why}`)
    : failure('approval_void', voided)
}

export const unknownOutcome =
  'Bellhop was interrupted while this request was under way, so it may or may not have taken effect. It was not sent again. ' +
  'Check the target before you ask for it once more.'
export const voided =
  'The tool, its connector, the channel, the run or the requester’s rights changed after an admin was asked, so the approval is void and nothing was sent.'
