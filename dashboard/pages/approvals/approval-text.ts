import { toolLabel } from '../../../src/shared/tool-label.ts'
import { nameRequester } from '../../../src/shared/wording/name-requester.ts'
import type { Approval } from '../../contract.ts'
import { capitalize } from '../../ui/text/capitalize.ts'
import { locale } from '../../ui/text/locale.ts'
import { isExactNumber } from '../../ui/text/parse-exactly.ts'

/** The request in one line, which distinguishes one call of a tool from another. */
export function approvalSummary({ request }: Approval): string {
  const path = URL.canParse(request.url) ? new URL(request.url).pathname : request.url
  return `${request.method} ${path}`
}

/** Names the kind or role too, since people on chat platforms choose their own names. */
export function approvalCause({ requestedBy }: Approval): string {
  return nameRequester(requestedBy)
}

/** `shop__refund_order` → `Refund order`. */
export function callVerb(tool: string): string {
  return capitalize(tool.replace(/^.*?__/, '').replaceAll(/[_-]+/g, ' '))
}

/** Whom a call waits for; null if the reader is one of them. */
export function waitsFor(approval: Approval): string | null {
  return approval.mayDecide ? null : whoApproves(approval)
}

/** `Finance or Support` */
function whoApproves({ approvers }: Approval): string {
  if (approvers.length === 0) return 'an admin'
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(approvers.map(({ name }) => name))
}

/** Who may approve, and how far it is. Null where one admin does. */
export function approverLine(approval: Approval): string | null {
  const { approvers, approvalsNeeded: needed, approvals, status } = approval
  if (approvers.length === 0 && needed === 1) return null
  const who = approvers.length === 0 ? 'admins' : whoApproves(approval)
  const names = approvals.map(({ by }) => by.name).join(', ')
  const isCounted = needed > 1 && (status === 'pending' || status === 'approved')
  const count = isCounted ? ` · ${approvals.length} of ${needed} approved${names && `: ${names}`}` : ''
  return `Approvers: ${who}${count}`
}

export function approvedWords({ status, approvals, approvalsNeeded }: Approval): string {
  return status === 'pending'
    ? `Approved by ${approvals.length} of ${approvalsNeeded}. The call waits for other approvers.`
    : 'Approved. The request is being sent.'
}

const maxValues = 3
const maxLength = 48

/** What the call is about, in a line: `1001 · 27.20 EUR`. Null if its input says nothing that fits. */
export function callSubject({ input }: Pick<Approval, 'input'>): string | null {
  const fields = fieldsOf(input)
  const currency = fields.find(([name]) => /currency$/i.test(name))
  const hasAmount = fields.some(([name]) => isAmount(name))
  const values = fields
    .filter((field) => field !== currency || !hasAmount)
    .flatMap(([name, value]) => {
      if (typeof value === 'boolean') return [`${name}: ${value}`]
      if (typeof value !== 'string' && typeof value !== 'number' && !isExactNumber(value)) return []
      const text = isExactNumber(value) ? value.rawJSON : String(value)
      const unit = isAmount(name) && typeof currency?.[1] === 'string' ? currency[1] : null
      if (text === '') return []
      return [unit === null ? shorten(text) : (inMoney(value, unit) ?? `${shorten(text)} ${unit}`)]
    })
  return values.length === 0 ? null : values.slice(0, maxValues).join(' · ')
}

/** The inputs of a call by name; none if it is not an object, or was erased. */
export function fieldsOf(input: unknown): [name: string, value: unknown][] {
  return typeof input === 'object' && input !== null ? Object.entries(input) : []
}

/** `€27.20`. Null for a whole number, which may count cents. */
function inMoney(amount: unknown, currency: string): string | null {
  if (typeof amount !== 'number' || Number.isInteger(amount) || !/^[a-z]{3}$/i.test(currency)) return null
  // Every digit that is sent.
  return amount.toLocaleString(locale(), { style: 'currency', currency, maximumFractionDigits: 20 })
}

const isAmount = (name: string) => /amount|total|price|sum$/i.test(name)

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1).toWellFormed()}…`
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
