import { useEffect, useMemo, useState } from 'react'
import { splitTexts } from '../../ui/code/split-texts.ts'

/** `:tada:`, but no part of a time or an address. */
const shortName = /(?<![\w:]):([a-z0-9_+-]+):(?![\w:])/

type EmojiNames = typeof import('../../../src/shared/emoji.ts')
let loaded: EmojiNames | null = null

/** A plugin for `Markdown` that shows emoji for their names. The names are loaded with the first text that may have one. */
export function useEmojiNames(text: string) {
  const [emoji, setEmoji] = useState(loaded)
  const mayHaveOne = shortName.test(text)
  useEffect(() => {
    if (!mayHaveOne || emoji) return
    // Without them, names stay as they were written.
    import('../../../src/shared/emoji.ts').then(
      (names) => {
        loaded = names
        setEmoji(names)
      },
      () => undefined,
    )
  }, [mayHaveOne, emoji])
  return useMemo(() => (mayHaveOne && emoji ? showEmoji(emoji) : null), [mayHaveOne, emoji])
}

function showEmoji({ emojiOf }: EmojiNames) {
  const all = new RegExp(shortName, 'g')
  return splitTexts((text) => [
    { type: 'text', value: text.replaceAll(all, (typed, name: string) => emojiOf(name) ?? typed) },
  ])
}
