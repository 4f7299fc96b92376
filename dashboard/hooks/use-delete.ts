import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../api.ts'
import { notify, notifyProblem } from '../ui/feedback/notify.ts'
import { forgetOpened } from '../ui/layout/opened-pages.ts'
import { useNavigateIfHere } from './use-navigate-if-here.ts'

type Options = {
  path: string
  /** Shown once the server has deleted it. */
  message: string
  /** The page to open afterwards, and the query that lists what is left. */
  list: string
}

/** Deletes at once. Ask with `askToConfirm` before: nothing deleted comes back. */
export function useDelete({ path, message, list }: Options) {
  const queries = useQueryClient()
  const navigateIfHere = useNavigateIfHere()
  return useMutation({
    mutationFn: () => call<void>('DELETE', path),
    onSuccess: async () => {
      notify(message)
      forgetOpened(path)
      // First: the page of a list may open its first entry by itself.
      await queries.invalidateQueries({ queryKey: [list] })
      await navigateIfHere(list)
    },
    onError: notifyProblem,
  })
}
