import type pg from 'pg'

type Word = { channel: string; payload: string }

export type Voice = {
  /** Sent at once, or together with others when the previous ones are out. */
  say(word: Word): void
}

/** One statement at a time: what is said while one runs is sent with the next, duplicates only once. */
export function openVoice(pool: pg.Pool, onError: (error: Error) => void): Voice {
  let waiting = new Map<string, Word>()
  let speaking = false

  async function speak(): Promise<void> {
    speaking = true
    // What is said synchronously is sent together.
    await null
    while (waiting.size > 0) {
      const words = [...waiting.values()]
      waiting = new Map()
      await pool
        .query(
          'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as said (channel, payload)',
          [words.map(({ channel }) => channel), words.map(({ payload }) => payload)],
        )
        .catch(onError)
    }
    speaking = false
  }

  return {
    say(word) {
      waiting.set(`${word.channel}\n${word.payload}`, word)
      if (!speaking) void speak()
    },
  }
}
