import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query'
import { call, type Paged } from '../../../api.ts'
import type { Message } from '../../../contract.ts'
import { itemsOf, useList } from '../../../hooks/use-api.ts'

type Cached = InfiniteData<Paged<Message>>
type Filters = { q?: string | undefined; threadId?: string | undefined }

const keyOf = (channelId: string, filters: Filters) => [`/channels/${channelId}/messages`, filters]

/** Newest first, threads included. Live changes come through `useLiveChannel`. */
export function useMessages(channelId: string, filters: Filters = {}, enabled = true) {
  return useList<Message>(`/channels/${channelId}/messages`, filters, { enabled, fresh: true })
}

export function useSendMessage(channelId: string, threadId: string | null) {
  const put = usePutMessage(channelId)
  return useMutation({
    mutationFn: ({ text, fileIds }: { text: string; fileIds: string[] }) =>
      call<Message>('POST', `/channels/${channelId}/messages`, {
        text,
        ...(threadId ? { threadId } : {}),
        ...(fileIds.length > 0 ? { fileIds } : {}),
      }),
    onSuccess: (message) => put(message),
  })
}

/**
 * Inserts a message wherever it is shown, whether it came as an answer or over the stream. A message that only changed may be
 * further back than what is loaded; then it is ignored.
 */
export function usePutMessage(channelId: string): (message: Message, isNew?: boolean) => void {
  const queries = useQueryClient()
  return (message, isNew = true) => {
    const thread = message.threadId ?? message.id
    for (const filters of [{}, { threadId: thread }]) {
      queries.setQueryData<Cached>(keyOf(channelId, filters), (cached) => place(cached, message, isNew))
    }
    queries.setQueryData<Message>([`/messages/${message.id}`], (cached) => cached && newer(cached, message))
  }
}

/** The number of the last change of the channel that is loaded. */
export function useLastSeq(channelId: string): () => number {
  const queries = useQueryClient()
  return () => {
    const loaded = queries.getQueryData<Cached>(keyOf(channelId, {}))
    return Math.max(0, ...itemsOf({ data: loaded }).map(({ seq }) => seq))
  }
}

function place(cached: Cached | undefined, message: Message, isNew: boolean): Cached | undefined {
  if (!cached) return cached
  // One that was deleted leaves its place only where a thread hangs on it.
  const isThread = cached.pages.some((page) => page.items.some(({ threadId }) => threadId === message.id))
  if (message.deletedAt && !isThread)
    return {
      ...cached,
      pages: cached.pages.map((page) => ({
        ...page,
        items: page.items.filter(({ id }) => id !== message.id),
      })),
    }
  const known = cached.pages.some((page) => page.items.some(({ id }) => id === message.id))
  if (!known && !isNew) return cached
  const pages = cached.pages.map((page, at) => ({
    ...page,
    items: known
      ? page.items.map((item) => (item.id === message.id ? newer(item, message) : item))
      : at === 0
        ? [message, ...page.items]
        : page.items,
  }))
  return { ...cached, pages }
}

/** The answer to a POST can arrive after a later change came over the stream. */
function newer(a: Message, b: Message): Message {
  return a.seq > b.seq ? a : b
}
