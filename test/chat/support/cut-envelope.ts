import { until } from '../../support/until.ts'
import type { Slack } from './start-slack.ts'

type Scene = { slack: Slack; shown(): Promise<{ openSince: string | null }> }

/**
 * Sends an event over one connection after the other, each of which is cut `step` bytes later than the one before; the last one after
 * the whole envelope, before its acknowledgement. Then Slack sends it again, and nothing is cut.
 */
export async function cutEnvelope(
  { slack: { lines }, shown }: Scene,
  event: unknown,
  step: number,
): Promise<void> {
  lines.isHolding = true
  const id = lines.deliver('events_api', event)
  for (let bytes = 0, all = 1, isLast = false; !isLast; bytes = Math.min(bytes + step, all)) {
    await until(async () => lines.open.length === 1 && (await shown()).openSince !== null)
    isLast = bytes === all
    all = lines.cutWithin(id, bytes)
    await until(() => lines.open.length === 0)
  }
  lines.isHolding = false
  await until(() => lines.acknowledged.has(id))
}
