import { Text } from '@mantine/core'
import { ModalsProvider, useModals } from '@mantine/modals'
import { useEffect } from 'react'
import type { Question } from '../ui/ask-first.ts'

export default function QuestionDialog({ question }: { question: Question }) {
  return (
    <ModalsProvider>
      <Ask question={question} />
    </ModalsProvider>
  )
}

/** The safe answer has the focus. */
function Ask({ question }: { question: Question }) {
  const { openConfirmModal, closeModal } = useModals()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each question
  useEffect(() => {
    const id = openConfirmModal({
      title: question.title,
      children: <Text size="sm">{question.text}</Text>,
      labels: { confirm: question.action, cancel: question.otherwise ?? 'Cancel' },
      confirmProps: { color: 'red.9' },
      cancelProps: { 'data-autofocus': true },
      onConfirm: question.onYes,
    })
    return () => closeModal(id)
  }, [question])
  return null
}
