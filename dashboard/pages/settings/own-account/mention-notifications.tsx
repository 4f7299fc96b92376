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
        While Bellhop is open in a tab that you do not look at, this computer shows messages that mention you.
      </Text>
      {permission === 'denied' && (
        <Text>
          Your browser blocks notifications of this site. Allow them in the site settings of the browser, then
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
