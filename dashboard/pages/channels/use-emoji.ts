import { useEffect, useState } from 'react'

type Emoji = typeof import('../../../src/shared/emoji.ts')
let loaded: Emoji | null = null

/** All emoji with their names, loaded when they are first wanted. Without them, names stay as they were written. */
export function useEmoji(areWanted: boolean): Emoji | null {
  const [emoji, setEmoji] = useState(loaded)
  useEffect(() => {
    if (!areWanted || emoji) return
    import('../../../src/shared/emoji.ts').then(
      (all) => {
        loaded = all
        setEmoji(all)
      },
      () => undefined,
    )
  }, [areWanted, emoji])
  return emoji
}
