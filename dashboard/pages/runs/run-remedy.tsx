import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMay } from '../accounts/use-me.ts'

type Props = {
  code: string
  /** What was said in chat is not replayed, but asked again. */
  replayable: boolean
}

/** What to do about a run that failed, where a setting is the reason. */
export function RunRemedy({ code, replayable }: Props) {
  const admin = useMay('admin')
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
      {replayable ? ', then replay it.' : ', then ask again in the thread.'}
    </Text>
  )
}

function remedyOf(code: string): { to: string; words: string } | null {
  if (code.endsWith('_exceeded')) return { to: '/settings/limits', words: 'Change the limits' }
  // What a model declines, it declines with any settings.
  if (code.startsWith('model_') && code !== 'model_refused')
    return { to: '/settings/model', words: 'Look at the model' }
  return null
}
