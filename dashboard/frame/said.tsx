import { useNotifications } from '@mantine/notifications'
import { lazy, Suspense } from 'react'
import { useEver } from '../ui/use-ever.ts'

const Notices = lazy(() => import('./notices.tsx'))

/** What was said stands in a corner, which is loaded when there is something to say. */
export function Said() {
  const { notifications } = useNotifications()
  const wanted = useEver(notifications.length > 0)
  return <Suspense fallback={null}>{wanted && <Notices />}</Suspense>
}
