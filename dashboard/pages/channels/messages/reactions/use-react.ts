import { call } from '../../../../api.ts'
import type { Message } from '../../../../contract.ts'
import { useAction } from '../../../../hooks/use-action.ts'
import { usePutMessage } from '../use-messages.ts'

/** Adds the reader's reaction to a message, or takes it back. */
export function useReact({ id, channelId }: Message) {
  const put = usePutMessage(channelId)
  return useAction(async ({ name, isAdded }: { name: string; isAdded: boolean }) => {
    const path = `/messages/${id}/reactions/${encodeURIComponent(name)}`
    put(await call<Message>(isAdded ? 'PUT' : 'DELETE', path), false)
  })
}
