import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { itemsOf, useList } from '../../../hooks/use-api.ts'
import { useChannels } from '../use-channels.ts'
import { useEmoji } from '../use-emoji.ts'
import {
  complete,
  filterOptions,
  findTrigger,
  type Option,
  replaceEmoji,
  type Trigger,
} from './completion.ts'

/** Names of people and the agent, of channels and of emoji, while they are typed. */
export function useCompletion(
  box: RefObject<HTMLTextAreaElement | null>,
  text: string,
  setText: (text: string) => void,
) {
  const listId = useId()
  const [trigger, setTrigger] = useState<Trigger | null>(null)
  const [active, setActive] = useState(0)
  const people = useList<{ id: string; name: string }>(
    '/people',
    { limit: '20', q: trigger?.query || undefined },
    { enabled: trigger?.kind === '@' },
  )
  const channels = useChannels()
  const emoji = useEmoji(text.includes(':'))
  const options = trigger ? optionsOf(trigger, itemsOf(people), itemsOf(channels), emoji) : []
  const chosen = options[Math.min(active, options.length - 1)]

  const caretDue = useRef<number | null>(null)
  // With the text itself, not a frame later: whoever types fast has typed on by then, and the caret would jump back.
  useLayoutEffect(() => {
    if (caretDue.current === null) return
    box.current?.setSelectionRange(caretDue.current, caretDue.current)
    caretDue.current = null
  })
  // What was typed to its end while the names were loading.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once they are there
  useEffect(() => {
    const replaced = emoji && replaceEmoji(text, box.current?.selectionStart ?? 0, emoji.emojiOf)
    if (!replaced) return
    caretDue.current = replaced.caret
    setTrigger(null)
    setText(replaced.text)
  }, [emoji])
  const pick = (option: Option) => {
    if (!trigger) return
    const done = complete(text, trigger, option)
    setText(done.text)
    setTrigger(null)
    caretDue.current = done.caret
    box.current?.focus()
  }
  return {
    listId,
    options,
    active: chosen ? options.indexOf(chosen) : -1,
    pick,
    close: () => setTrigger(null),
    /** Returns the text to keep, in which a finished emoji is replaced. */
    onType(typed: string, caret: number): string {
      const replaced = emoji && replaceEmoji(typed, caret, emoji.emojiOf)
      if (replaced) caretDue.current = replaced.caret
      setTrigger(replaced ? null : findTrigger(typed, caret))
      setActive(0)
      return replaced?.text ?? typed
    },
    /** True if the key was for the list. */
    onKey(event: KeyboardEvent): boolean {
      if (!chosen || event.nativeEvent.isComposing) return false
      switch (event.key) {
        case 'ArrowDown':
        case 'ArrowUp': {
          const step = event.key === 'ArrowDown' ? 1 : options.length - 1
          setActive((options.indexOf(chosen) + step) % options.length)
          break
        }
        case 'Enter':
        case 'Tab':
          pick(chosen)
          break
        case 'Escape':
          setTrigger(null)
          // Not also closing the thread around it.
          event.stopPropagation()
          break
        default:
          return false
      }
      event.preventDefault()
      return true
    },
  }
}

type Named = { name: string }

function optionsOf(
  { kind, query }: Trigger,
  people: Named[],
  channels: Named[],
  emoji: ReturnType<typeof useEmoji>,
): Option[] {
  switch (kind) {
    case '@':
      return filterOptions(
        [
          { label: '@bellhop', hint: 'Ask the agent', insert: '@bellhop' },
          ...people.map(({ name }) => ({ label: `@${name}`, hint: '', insert: `@${name}` })),
        ],
        query,
      )
    case '#':
      return filterOptions(
        channels.map(({ name }) => ({ label: `#${name}`, hint: '', insert: `#${name}` })),
        query,
      )
    case ':':
      return filterOptions(
        (emoji?.allEmoji ?? []).map(({ name, character }) => ({
          label: `:${name}:`,
          hint: character,
          insert: character,
        })),
        query,
      )
    default:
      throw new Error(`Unhandled trigger ${kind satisfies never}`)
  }
}
