import { inOneLine } from './in-one-line.ts'
import type { ShownApproval } from './store.ts'

/** Many questions of one step as one message: a card each would bury the channel. Each is decided on its own page. */
export function writeList(approvals: readonly ShownApproval[], publicUrl: string): string {
  const waiting = approvals.filter(({ status }) => status === 'pending').length
  const head =
    waiting === 0
      ? `None of these ${approvals.length} calls waits any longer.`
      : `${waiting} of ${approvals.length} calls wait for ${approvals.some(({ groups }) => groups.length > 0) ? 'a decision' : 'an admin'}. [Open to decide](${publicUrl}/approvals)`
  return [head, '', ...approvals.map((approval) => writeItem(approval, publicUrl))].join('\n')
}

function writeItem({ id, request, ...approval }: ShownApproval, publicUrl: string): string {
  return `- ${code(approval.tool)}: ${code(inOneLine(request))} [${stateOf(approval)}](${publicUrl}/approvals/${id})`
}

/** Code shows what is foreign as it is: nothing in it becomes a link, a line or a mention. */
function code(text: string): string {
  return `\`${text.replaceAll('`', 'ˋ').replaceAll(/\s+/g, ' ')}\``
}

function stateOf({ status, outcome, given, approvalsNeeded }: ShownOf): string {
  if (status === 'pending' && approvalsNeeded > 1) return `${given.length} of ${approvalsNeeded} approved`
  return outcome ? `${status} ${outcome}` : status
}

type ShownOf = Pick<ShownApproval, 'status' | 'outcome' | 'given' | 'approvalsNeeded'>
