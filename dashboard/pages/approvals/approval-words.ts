import type { Approval } from '../../contract.ts'

/** The request in one line: what tells one call of a tool from another. */
export function approvalWhat({ request }: Approval): string {
  const path = URL.canParse(request.url) ? new URL(request.url).pathname : request.url
  return `${request.method} ${path}`
}

export function approvalHeadline(approval: Approval): string {
  switch (approval.status) {
    case 'pending':
      return `${approval.tool} waits for an admin`
    case 'approved':
      return `${approval.tool} was approved`
    case 'denied':
      return `${approval.tool} was denied`
    case 'expired':
      return `${approval.tool} was not decided in time`
    case 'void':
      return `${approval.tool} is void, since the tool or its connector changed`
    default:
      throw new Error(`Unhandled status ${approval.status satisfies never}`)
  }
}
