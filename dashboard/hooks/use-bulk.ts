import { useMutation, useQueryClient } from '@tanstack/react-query'
import { describeError } from '../ui/feedback/error-alert.tsx'
import { notify, notifyProblem } from '../ui/feedback/notify.ts'
import { plural } from '../ui/text/plural.ts'

type Options = {
  /** What was done, as in "Replayed". */
  done: string
  /** With what, as in "event". */
  what: string
  /** Lists that are reloaded afterwards. */
  changes: string[]
}

/** Does the same with several rows. One that is refused does not stop the others; the first refusal is shown. */
export function useBulk<Row>(act: (row: Row) => Promise<unknown>, { done, what, changes }: Options) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (rows: Row[]) => {
      const outcomes: PromiseSettledResult<unknown>[] = []
      // A few at a time: the server answers each as it would a click.
      for (let at = 0; at < rows.length; at += 4)
        outcomes.push(...(await Promise.allSettled(rows.slice(at, at + 4).map(act))))
      return outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    },
    onSuccess: (refusals: unknown[], rows) => {
      const [first] = refusals
      if (first === undefined) return notify(`${done} ${plural(rows.length, what)}`)
      const { detail } = describeError(first)
      notifyProblem(
        Object.assign(new Error(detail), {
          title: `${done} ${rows.length - refusals.length} of ${plural(rows.length, what)}`,
        }),
      )
    },
    onError: notifyProblem,
    onSettled: () => Promise.all(changes.map((path) => queries.invalidateQueries({ queryKey: [path] }))),
  })
}
