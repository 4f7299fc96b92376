import { Notifications } from '@mantine/notifications'

export default function Notices() {
  return <Notifications position="bottom-right" limit={4} transitionDuration={120} />
}
