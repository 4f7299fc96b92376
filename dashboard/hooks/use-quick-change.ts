import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { notify, notifyProblem } from '../ui/feedback/notify.ts'

type How<P> = {
  /** The id of what is changed: quick changes of it are sent in order. */
  id: string
  save: (patch: P) => Promise<unknown>
  /** Resolves when the page has the server's state again. */
  refresh: () => Promise<unknown>
}
type Step<P> = { patch: P; words: string }

/**
 * A change of one click, which is saved at once. `requested` is the requested state until the server answers: a page shows that, so a
 * switch moves at once, and returns with the reason if the server refuses.
 */
export function useQuickChange<P>({ id, save, refresh }: How<P>) {
  const [step, setStep] = useState<Step<P> | null>(null)
  const sending = useMutation({
    scope: { id },
    mutationFn: ({ patch }: Step<P>) => save(patch),
    onSuccess: (_, { words }) => notify(words),
    onError: notifyProblem,
    onSettled: async (_answer, _error, settled) => {
      await refresh()
      // A later change stays.
      setStep((now) => (now === settled ? null : now))
    },
  })
  const change = (patch: P, words: string) => {
    const next = { patch, words }
    setStep(next)
    sending.mutate(next)
  }
  return { requested: step?.patch ?? null, change }
}
