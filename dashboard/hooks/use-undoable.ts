import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { notify, notifyProblem } from '../ui/feedback/notify.ts'
import { notifyUndo } from '../ui/feedback/notify-undo.tsx'

type How<P> = {
  /** The id of what is changed: quick changes of it are sent in order. */
  id: string
  save: (patch: P) => Promise<unknown>
  /** Resolves when the page has the server's state again. */
  refresh: () => Promise<unknown>
}
/** `back` is null if there is no way back, or not for this person. */
type Step<P> = { patch: P; words: string; back: P | null }

/**
 * A change that can be undone with one click. `requested` is the requested state until the server answers: a page shows that, so a
 * switch moves at once, and returns with the reason if the server refuses.
 */
export function useUndoable<P>({ id, save, refresh }: How<P>) {
  const [step, setStep] = useState<Step<P> | null>(null)
  const sending = useMutation({
    scope: { id },
    mutationFn: ({ patch }: Step<P>) => save(patch),
    onSuccess: (_, { words, back }) => {
      if (back === null) notify(words)
      else notifyUndo(words, () => change({ patch: back, words: 'Change undone', back: null }))
    },
    onError: notifyProblem,
    onSettled: async (_answer, _error, settled) => {
      await refresh()
      // A later change stays.
      setStep((now) => (now === settled ? null : now))
    },
  })
  const change = (next: Step<P>) => {
    setStep(next)
    sending.mutate(next)
  }
  return { requested: step?.patch ?? null, change }
}
