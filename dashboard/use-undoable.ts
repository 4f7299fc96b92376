import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { say, sayProblem } from './ui/say.ts'
import { useUndo } from './use-undo.tsx'

type How<P> = {
  /** Of what is changed: two quick changes of it arrive in their order. */
  id: string
  save: (patch: P) => Promise<unknown>
  /** Ends when the page knows the server's state again. */
  refresh: () => Promise<unknown>
}
/** Where there is no way back, or not for this person, `back` is null. */
type Step<P> = { patch: P; words: string; back: P | null }

/**
 * A change that is taken back with one click. `wish` is what was asked for while the server's word is out: a page shows that,
 * so a switch moves under the finger, and falls back with the reason when the server refuses.
 */
export function useUndoable<P>({ id, save, refresh }: How<P>) {
  const undo = useUndo()
  const [step, setStep] = useState<Step<P> | null>(null)
  const sending = useMutation({
    scope: { id },
    mutationFn: ({ patch }: Step<P>) => save(patch),
    onSuccess: (_, { words, back }) => {
      if (back === null) say(words)
      else undo.offer(words, () => change({ patch: back, words: 'As it was before.', back: null }))
    },
    onError: sayProblem,
    onSettled: async (_answer, _error, settled) => {
      await refresh()
      // A later wish stands.
      setStep((now) => (now === settled ? null : now))
    },
  })
  const change = (next: Step<P>) => {
    setStep(next)
    sending.mutate(next)
  }
  return { wish: step?.patch ?? null, change }
}
