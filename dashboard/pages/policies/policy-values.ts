import { policyInput } from '../../../src/approvals/policies/contract.ts'
import type { Policy } from '../../contract.ts'
import { schemaErrors } from '../../schema-errors.ts'
import { toLocal } from '../../ui/forms/date-time-input.tsx'
import {
  type ApproverValues,
  approverValuesOf,
  noApprovers,
  toApprovers,
} from '../approvals/approvers/approver-values.ts'

/** The fields of the form. Empty ones are not sent. */
export type PolicyValues = {
  name: string
  tool: string | null
  when: string
  then: Policy['then']
  for: { requesters: string[]; webhookIds: string[]; channelIds: string[] }
  cap: { calls: number | ''; per: 'hour' | 'day'; sum: { of: string; max: number | '' } }
  /** In the viewer's time zone, as the browser's own field has it. */
  until: string
  approval: ApproverValues
  state: 'active' | 'shadow' | 'paused'
}

export const newPolicy: PolicyValues = {
  name: '',
  tool: null,
  when: '',
  then: 'auto',
  for: { requesters: [], webhookIds: [], channelIds: [] },
  cap: { calls: 20, per: 'day', sum: { of: '', max: '' } },
  until: '',
  approval: noApprovers,
  state: 'active',
}

export function valuesOf(policy: Policy): PolicyValues {
  const { name, tool, when, then, cap, until, state } = policy
  return {
    name,
    tool,
    when,
    then,
    for: { ...newPolicy.for, ...policy.for },
    cap: { calls: cap?.calls ?? '', per: cap?.per ?? 'day', sum: cap?.sum ?? { of: '', max: '' } },
    until: toLocal(until ?? undefined),
    approval: approverValuesOf(policy),
    state: state === 'expired' ? 'active' : state,
  }
}

/** What is sent. */
export function toInput({ for: scope, cap, tool, until, approval, ...values }: PolicyValues) {
  const named = Object.entries(scope).filter(([, ids]) => ids.length > 0)
  const { sum, ...limit } = cap
  const hasSum = sum.of !== '' || sum.max !== ''
  return {
    ...values,
    ...toApprovers(approval),
    tool: tool ?? '',
    until: until === '' ? null : new Date(until).toISOString(),
    for: named.length > 0 ? Object.fromEntries(named) : null,
    cap: limit.calls === '' ? null : { ...limit, ...(hasSum && { sum }) },
  }
}

export function policyErrors(values: PolicyValues) {
  return schemaErrors(policyInput, toInput(values), values)
}
