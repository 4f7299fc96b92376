import { type ComponentType, useState } from 'react'
import { orUnreachable } from '../api.ts'
import { notifyProblem } from '../ui/feedback/notify.ts'

type Load<Props> = () => Promise<{ default: ComponentType<Props> }>

/** A component that is loaded when first needed. If loading fails, that is shown, `onFailed` is called, and it may be requested again. */
export function useOnDemand<Props>(
  load: Load<Props>,
): [part: ComponentType<Props> | null, want: (onFailed?: () => void) => void] {
  const [part, setPart] = useState<ComponentType<Props> | null>(null)
  const want = (onFailed?: () => void) => {
    if (part !== null) return
    load()
      .catch(orUnreachable)
      .then(
        (loaded) => setPart(() => loaded.default),
        (error: unknown) => {
          notifyProblem(error)
          onFailed?.()
        },
      )
  }
  return [part, want]
}
