import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify, notifyProblem } from '../ui/feedback/notify.ts'

type Options<Answer> = {
  /** Said when it is done. */
  words?: string | ((answer: Answer) => string)
  /** Paths that are reloaded afterwards, whether it succeeded or not. */
  changes?: string[]
}

/** An action of one click. It has no form, so a refusal is shown as a notification. */
export function useAction<Answer, Input = void>(
  act: (input: Input) => Promise<Answer>,
  { words, changes = [] }: Options<Answer> = {},
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: (answer) => {
      if (words !== undefined) notify(typeof words === 'string' ? words : words(answer))
    },
    onError: notifyProblem,
    onSettled: () => Promise.all(changes.map((path) => queries.invalidateQueries({ queryKey: [path] }))),
  })
}
