import { Button, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { useWantsNotifications } from '../../channels/use-notified-mention.ts'

/** Asks for the browser's permission. */
export function MentionNotifications() {
  const [wanted, setWanted] = useWantsNotifications()
  const [permission, setPermission] = useState(
    'Notification' in window ? Notification.permission : 'unsupported',
  )
  if (permission === 'unsupported') return null
  const isOn = wanted && permission === 'granted'
  const turnOn = async () => {
    const given = await Notification.requestPermission()
    setPermission(given)
    setWanted(given === 'granted')
  }
  return (
    <Stack>
      <Title order={2}>Notifications</Title>
      <Text c="dimmed">
        When a message mentions you while Bellhop is open in a background tab, this computer shows it.
      </Text>
      {permission === 'denied' && (
        <Text>
          Your browser blocks notifications from this site. Allow them in the browser’s site settings, then
          reload this page.
        </Text>
      )}
      <div>
        <Button
          variant="default"
          disabled={permission === 'denied'}
          onClick={() => (isOn ? setWanted(false) : void turnOn())}
        >
          {isOn ? 'Stop notifying me on this computer' : 'Notify me on this computer when I am mentioned'}
        </Button>
      </div>
    </Stack>
  )
}
