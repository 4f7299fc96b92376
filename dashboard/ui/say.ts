import { notifications } from '@mantine/notifications'
import { describe } from './failed.tsx'

/** A short word after something was done. */
export function say(message: string): void {
  notifications.show({ message, color: 'brass', autoClose: 4000 })
}

/** A refusal of something that has no form to show it in. */
export function sayProblem(error: unknown): void {
  const { title, detail, fields } = describe(error)
  notifications.show({
    title,
    message: fields.length > 0 ? fields.join(' · ') : detail,
    color: 'red',
    autoClose: 9000,
  })
}
