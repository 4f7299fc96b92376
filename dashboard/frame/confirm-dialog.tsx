import { Text } from '@mantine/core'
import { ModalsProvider, useModals } from '@mantine/modals'
import { useEffect } from 'react'
import type { Confirmation } from '../ui/feedback/ask-to-confirm.ts'

export default function ConfirmDialog({ confirmation }: { confirmation: Confirmation }) {
  return (
    <ModalsProvider>
      <Ask confirmation={confirmation} />
    </ModalsProvider>
  )
}

/** The safe answer has the focus. */
function Ask({ confirmation }: { confirmation: Confirmation }) {
  const { openConfirmModal, closeModal } = useModals()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each confirmation
  useEffect(() => {
    const id = openConfirmModal({
      title: confirmation.title,
      children: <Text size="sm">{confirmation.text}</Text>,
      labels: { confirm: confirmation.action, cancel: confirmation.cancel ?? 'Cancel' },
      confirmProps: { color: 'red.9' },
      cancelProps: { 'data-autofocus': true },
      onConfirm: confirmation.onConfirm,
    })
    return () => closeModal(id)
  }, [confirmation])
  return null
}
