import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useHasRole } from '../accounts/use-me.ts'

type Props = {
  code: string
  /** A chat message is not replayed, but asked again. */
  replayable: boolean
}

/** What to do about a failed run, if a setting is the cause. */
export function RunRemedy({ code, replayable }: Props) {
  const admin = useHasRole('admin')
  const remedy = remedyOf(code)
  if (!remedy) return null
  const { to, words } = remedy
  return (
    <Text size="sm">
      {admin ? (
        <Anchor component={Link} to={to}>
          {words}
        </Anchor>
      ) : (
        `Ask an admin to ${words.toLowerCase()}`
      )}
      {replayable ? ', then replay the event.' : ', then ask again in the thread.'}
    </Text>
  )
}

function remedyOf(code: string): { to: string; words: string } | null {
  if (code.endsWith('_exceeded')) return { to: '/settings/limits', words: 'Change the limits' }
  // A model that refuses will refuse with any settings.
  if (code.startsWith('model_') && code !== 'model_refused')
    return { to: '/settings/model', words: 'Check the model settings' }
  return null
}
