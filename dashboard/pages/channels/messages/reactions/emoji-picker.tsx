import { Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { emoji, emojiNames } from '../../../../../src/chat/reactions/contract.ts'
import classes from './reactions.module.css'

/** As in reactions.module.css. */
const columns = 8
const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -columns,
  ArrowDown: columns,
}

/** The keys stay with the search; arrows choose, Enter picks. */
export function EmojiPicker({ onPick }: { onPick: (name: string) => void }) {
  const listId = useId()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const found = findEmoji(query)
  const chosen = found[active]
  const idOf = (name: string) => `${listId}-${name}`

  useEffect(() => {
    if (chosen) document.getElementById(`${listId}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen, listId])

  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const step = steps[event.key]
    if (step !== undefined) setActive(Math.max(0, Math.min(found.length - 1, active + step)))
    else if (event.key === 'Enter' && chosen) onPick(chosen)
    else return
    event.preventDefault()
  }
  return (
    <div className={classes.picker}>
      <TextInput
        data-autofocus
        size="xs"
        role="combobox"
        aria-label="Search emoji"
        placeholder="Search emoji"
        aria-autocomplete="list"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={chosen && idOf(chosen)}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value)
          setActive(0)
        }}
        onKeyDown={onKey}
      />
      <div id={listId} role="listbox" aria-label="Emoji" className={classes.grid}>
        {found.map((name, at) => (
          <div
            key={name}
            id={idOf(name)}
            role="option"
            // Reached by arrow keys from the search.
            tabIndex={-1}
            aria-label={name}
            aria-selected={at === active}
            className={classes.option}
            onPointerMove={() => setActive(at)}
            onClick={() => onPick(name)}
            onKeyDown={onKey}
          >
            {emoji[name]}
          </div>
        ))}
      </div>
      <Text size="xs" c="dimmed" truncate role="status">
        {chosen ? `${emoji[chosen]} :${chosen}:` : 'No emoji has this name.'}
      </Text>
    </div>
  )
}

function findEmoji(query: string): string[] {
  const wanted = query.trim().toLowerCase().replaceAll(':', '').replaceAll(' ', '_')
  const names = Object.keys(emoji).filter((name) => name.includes(wanted))
  return emojiNames.filter((name) => names.some((other) => emoji[other] === emoji[name]))
}
