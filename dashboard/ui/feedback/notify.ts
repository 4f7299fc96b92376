import { notifications } from '@mantine/notifications'
import { describeError } from './error-alert.tsx'

/** A short message after an action. */
export function notify(message: string): void {
  notifications.show({ message, color: 'brass', autoClose: 4000 })
}

/** Reports a refusal for which there is no form. */
export function notifyProblem(error: unknown): void {
  const { title, detail, fields } = describeError(error)
  notifications.show({
    title,
    message: fields.length > 0 ? fields.join(' · ') : detail,
    color: 'red',
    autoClose: 9000,
  })
}
