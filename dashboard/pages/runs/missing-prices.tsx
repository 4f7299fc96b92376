import { Anchor, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { RunRow } from '../../contract.ts'
import { useHasRole } from '../accounts/use-me.ts'
import { useSettings } from '../settings/use-settings.ts'

/** Once for the list: the models whose cost nobody can tell, and where a price is set. */
export function MissingPrices({ runs }: { runs: RunRow[] }) {
  const admin = useHasRole('admin')
  const prices = useSettings().data?.prices ?? {}
  const models = runs.flatMap(({ model, cost, usage }) => {
    const name = model?.split(' · ').at(-1)
    return name && cost === 0 && usage.inputTokens + usage.outputTokens > 0 ? [name] : []
  })
  // One that is free has a price of 0.
  const unpriced = [...new Set(models)].filter((name) =>
    Object.keys(prices).every((start) => !name.startsWith(start)),
  )
  if (unpriced.length === 0) return null
  return (
    <Text size="xs" c="dimmed" role="note">
      No price set for {unpriced.join(', ')}
      {admin && (
        <>
          {'. '}
          <Anchor component={Link} to="/settings/limits" size="xs">
            Set a price
          </Anchor>
        </>
      )}
    </Text>
  )
}
