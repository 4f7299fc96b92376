import { useMemo } from 'react'
import { Markdown } from '../../ui/code/markdown.tsx'
import { splitTexts } from '../../ui/code/split-texts.ts'
import { useEmoji } from './use-emoji.ts'
import { useNames } from './use-names.ts'

/** `:tada:`, but no part of a time or an address. */
const shortName = /(?<![\w:]):([a-z0-9_+-]+):(?![\w:])/g

/** Markdown with names of people and channels, and emoji. */
export function MessageText({ text }: { text: string }) {
  const hasShortName = text.search(shortName) >= 0
  const emojiOf = useEmoji(hasShortName)?.emojiOf
  const showEmoji = useMemo(() => {
    if (!hasShortName || !emojiOf) return
    return splitTexts((part) => [
      { type: 'text', value: part.replaceAll(shortName, (typed, name: string) => emojiOf(name) ?? typed) },
    ])
  }, [hasShortName, emojiOf])
  return <Markdown text={text} names={useNames()} emoji={showEmoji} />
}
