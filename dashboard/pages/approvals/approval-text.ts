import { nameRequester } from '../../../src/shared/name-requester.ts'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import type { Approval } from '../../contract.ts'

/** The request in one line, which distinguishes one call of a tool from another. */
export function approvalSummary({ request }: Approval): string {
  const path = URL.canParse(request.url) ? new URL(request.url).pathname : request.url
  return `${request.method} ${path}`
}

/** Names the kind or role too, since people on chat platforms choose their own names. */
export function approvalCause({ requestedBy }: Approval): string {
  return nameRequester(requestedBy)
}

export function approvalHeadline({ status, ...approval }: Approval): string {
  const tool = toolLabel(approval.tool)
  switch (status) {
    case 'pending':
      return `${tool} needs approval`
    case 'approved':
      return `${tool} was approved`
    case 'denied':
      return `${tool} was denied`
    case 'expired':
      return `${tool} expired before anyone decided`
    case 'void':
      return `${tool} is void because the tool or its connector changed`
    default:
      throw new Error(`Unhandled status ${status satisfies never}`)
  }
}
