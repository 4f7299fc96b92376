import type { Run } from '../../contract.ts'
import { LineDiff } from '../../ui/code/line-diff.tsx'
import { Collapsible } from '../../ui/layout/collapsible.tsx'
import { useRun } from '../runs/use-runs.ts'

/** What the draft would have replied differently, line by line. */
export function ReplyDiff({ before, after }: { before: string | null; after: string }) {
  const [original, draft] = [useRun(before), useRun(after)]
  const [was, is] = [replyOf(original.data), replyOf(draft.data)]
  if (was === null || is === null || was === is) return null
  return (
    <Collapsible title="Difference of the replies" open>
      <LineDiff label="Difference of the replies" before={was} after={is} />
    </Collapsible>
  )
}

function replyOf(run: Run | undefined): string | null {
  return run?.endedAt ? (run.reply?.text ?? '') : null
}
