import { Markdown } from '../../ui/code/markdown.tsx'
import { useEmojiNames } from './use-emoji-names.ts'
import { useNames } from './use-names.ts'

/** Markdown with names of people and channels, and emoji. */
export function MessageText({ text }: { text: string }) {
  return <Markdown text={text} names={useNames()} emoji={useEmojiNames(text)} />
}
