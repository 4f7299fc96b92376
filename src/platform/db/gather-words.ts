/** What changed since something was said last: by topic the ids, or null where they are too many or have no name. */
type Gathering = Map<string, Set<string> | null>

export type GatheredWords = Disposable & {
  add(channel: string, topic: string, id: string | null): void
}

/** Four times a second at most, however much there is to tell. */
const everyMs = 250
/** A notification of PostgreSQL holds 8000 bytes: this many ids for each of a dozen topics. */
const maxIds = 14

/**
 * Words that come often are gathered in the process and said together, so that a thousand changes a second cost what four do.
 * A payload is JSON: `{"orders": ["o_1"], "parcels": null}`. What was gathered when the process dies is lost.
 */
export function gatherWords(say: (channel: string, payload: string) => void): GatheredWords {
  let gathered = new Map<string, Gathering>()
  let timer: NodeJS.Timeout | undefined

  function sayAll(): void {
    timer = undefined
    for (const [channel, topics] of gathered) {
      const ids = [...topics].map(([topic, ids]) => [topic, ids && [...ids]])
      say(channel, JSON.stringify(Object.fromEntries(ids)))
    }
    gathered = new Map()
  }

  return {
    add(channel, topic, id) {
      const topics: Gathering = gathered.get(channel) ?? new Map()
      gathered.set(channel, topics)
      const known = topics.get(topic)
      if (id === null) topics.set(topic, null)
      else if (known === undefined) topics.set(topic, new Set([id]))
      else if (known?.add(id) && known.size > maxIds) topics.set(topic, null)
      timer ??= setTimeout(sayAll, everyMs).unref()
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
    },
  }
}
