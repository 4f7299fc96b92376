import { useWindowEvent } from '@mantine/hooks'
import { lazy, Suspense, useState } from 'react'
import { askFirstEvent, type Question } from '../ui/ask-first.ts'

const QuestionDialog = lazy(() => import('./question-dialog.tsx'))

/** Shows what `askFirst` asks, in a dialog that is loaded with the first question. */
export function Questions() {
  const [question, setQuestion] = useState<Question | null>(null)
  useWindowEvent(askFirstEvent, ({ detail }: CustomEvent<Question>) => setQuestion(detail))
  return <Suspense fallback={null}>{question && <QuestionDialog question={question} />}</Suspense>
}
