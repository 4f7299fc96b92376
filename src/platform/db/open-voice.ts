import type pg from 'pg'

type Word = { channel: string; payload: string }

export type Voice = {
  /** On its way at once, or together with others as soon as those before are out. */
  say(word: Word): void
}

/** One sentence at a time: what comes while one is on its way is said with the next, and the same word only once. */
export function openVoice(pool: pg.Pool, onError: (error: Error) => void): Voice {
  let waiting = new Map<string, Word>()
  let speaking = false

  async function speak(): Promise<void> {
    speaking = true
    // What is said in one breath goes out together.
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
