import { ActionIcon } from '@mantine/core'
import { IconStar, IconStarFilled } from '@tabler/icons-react'
import { call } from '../../api.ts'
import type { Channel } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { Hint } from '../../ui/layout/hint.tsx'

/** For the reader alone: a starred channel is near the top of the list. */
export function StarChannel({ channel: { id, name, starred } }: { channel: Channel }) {
  const star = useAction(() => call<void>('PUT', `/channels/${id}/star`, { starred: !starred }), {
    changes: ['/channels'],
  })
  const label = starred ? `Remove the star of #${name}` : `Star #${name}`
  return (
    <Hint label={starred ? 'Remove star' : 'Star channel'}>
      <ActionIcon variant="default" aria-label={label} loading={star.isPending} onClick={() => star.mutate()}>
        {starred ? <IconStarFilled size="1rem" aria-hidden /> : <IconStar size="1rem" aria-hidden />}
      </ActionIcon>
    </Hint>
  )
}
