import type { Refusal } from '../platform/egress/refusal.ts'
import { type Problem, problem } from '../problems.ts'

/** What a person is told whose address the egress would not dial. */
export function addressRefused({ message, rule }: Refusal, pointer: string): Problem {
  return problem('address-not-allowed', `${message} (rule: ${rule})`, {
    errors: [{ pointer, detail: message }],
  })
}
