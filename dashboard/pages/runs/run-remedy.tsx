import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useMay } from '../accounts/use-me.ts'

/** What to do about a run that failed, where a setting is the reason. */
export function RunRemedy({ code }: { code: string }) {
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
      , then replay it.
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
