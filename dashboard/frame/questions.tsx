import { useWindowEvent } from '@mantine/hooks'
import { useState } from 'react'
import { askFirstEvent, type Question } from '../ui/ask-first.ts'
import { useOnDemand } from '../use-on-demand.ts'

/** Shows the questions of `askFirst` in a dialog that is loaded with the first one. */
export function Questions() {
  const [Dialog, wantDialog] = useOnDemand(() => import('./question-dialog.tsx'))
  const [question, setQuestion] = useState<Question | null>(null)
  useWindowEvent(askFirstEvent, ({ detail }: CustomEvent<Question>) => {
    setQuestion(detail)
    wantDialog()
  })
  return Dialog && question && <Dialog question={question} />
}
