import { useMutation, useQueryClient } from '@tanstack/react-query'
import { say, sayProblem } from './ui/say.ts'

type Options<Answer> = {
  /** Said when it is done. */
  words?: string | ((answer: Answer) => string)
  /** Paths whose things are read again afterwards, however it went. */
  changes?: string[]
}

/** What one click does. It has no form, so a refusal is said in the corner. */
export function useDeed<Answer, Input = void>(
  act: (input: Input) => Promise<Answer>,
  { words, changes = [] }: Options<Answer> = {},
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: (answer) => {
      if (words !== undefined) say(typeof words === 'string' ? words : words(answer))
    },
    onError: sayProblem,
    onSettled: () => Promise.all(changes.map((path) => queries.invalidateQueries({ queryKey: [path] }))),
  })
}
