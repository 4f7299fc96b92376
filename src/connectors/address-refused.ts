import type { Refusal } from '../platform/egress/refusal.ts'
import { type Problem, problem } from '../problems.ts'

/** The problem for somebody whose address the egress refuses to connect to. */
export function addressRefused({ message, rule }: Refusal, pointer: string): Problem {
  return problem('address-not-allowed', `${message} (rule: ${rule})`, {
    errors: [{ pointer, detail: message }],
  })
}
