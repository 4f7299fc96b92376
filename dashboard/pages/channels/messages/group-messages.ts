import type { Message } from '../../../contract.ts'
import { perLocale } from '../../../ui/text/locale.ts'

const together = 5 * 60_000

/** Continues what its author just wrote: shown without the name. Not after a thread or a card, which would be taken for its own. */
export function isContinued(message: Message, before: Message | undefined, all: Message[]): boolean {
  return (
    before !== undefined &&
    before.author.kind === message.author.kind &&
    before.author.id === message.author.id &&
    before.author.name === message.author.name &&
    message.origin === null &&
    before.origin === null &&
    message.card === null &&
    before.card === null &&
    message.deletedAt === null &&
    new Date(message.createdAt).getTime() - new Date(before.createdAt).getTime() < together &&
    !all.some(({ threadId }) => threadId === before.id)
  )
}

const days = perLocale(
  (tag) => new Intl.DateTimeFormat(tag, { weekday: 'long', month: 'long', day: 'numeric' }),
)

/** In the viewer's zone. */
export function dayOf({ createdAt }: Message): string {
  return days().format(new Date(createdAt))
}

/** The first message at the top level that is among the unread ones of others; null if there is none. */
export function findFirstNew(all: Message[], shown: Message[], unread: number, meId: string): string | null {
  if (unread === 0) return null
  const others = all.filter(({ author }) => author.id !== meId)
  const first = others.at(-Math.min(unread, others.length))
  return shown.find((message) => first && message.seq >= first.seq && message.author.id !== meId)?.id ?? null
}
