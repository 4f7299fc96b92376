import { startStubAnthropic } from './stub-anthropic.ts'

/** Asks for one refund in the shop of start-shop.ts, which is a write, and replies with `reply` once it has the result. */
export function startRefundingModel(reply: string) {
  return startStubAnthropic(({ body }) =>
    body.includes('tool_result')
      ? { text: reply }
      : { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] },
  )
}
