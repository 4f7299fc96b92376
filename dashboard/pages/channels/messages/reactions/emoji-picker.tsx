import { Text, TextInput } from '@mantine/core'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { allEmoji } from '../../../../../src/shared/emoji.ts'
import classes from './reactions.module.css'

/** As in reactions.module.css. */
const columns = 8
/** So many are drawn at once; there are nearly two thousand. */
const step = 25 * columns
const steps: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -columns,
  ArrowDown: columns,
}

/** The keys stay with the search; arrows choose, Enter picks. */
export default function EmojiPicker({ onPick }: { onPick: (name: string) => void }) {
  const listId = useId()
  const [query, setQuery] = useState('')
  const [active, setActive] = useState(0)
  const found = findEmoji(query)
  const chosen = found[active]?.name
  const [most, setMost] = useState(step)
  const idOf = (name: string) => `${listId}-${name}`

  useEffect(() => {
    if (chosen) document.getElementById(`${listId}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen, listId])

  const onKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    const by = steps[event.key]
    if (by !== undefined) setActive(Math.max(0, Math.min(found.length - 1, active + by)))
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
      <div
        id={listId}
        role="listbox"
        aria-label="Emoji"
        className={classes.grid}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          if (scrollTop + clientHeight * 2 > scrollHeight) setMost(most + step)
        }}
      >
        {found.slice(0, Math.max(most, active + step)).map(({ name, character }, at) => (
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
            {character}
          </div>
        ))}
      </div>
      <Text size="xs" c="dimmed" truncate role="status">
        {found[active] ? `${found[active].character} :${chosen}:` : 'No emoji is found by this.'}
      </Text>
    </div>
  )
}

/** By name and by keyword, names first. */
function findEmoji(query: string) {
  const wanted = query.trim().toLowerCase().replaceAll(':', '').replaceAll(' ', '_')
  const found = allEmoji.filter(({ words }) => words.includes(wanted))
  return found.toSorted((a, b) => Number(b.name.startsWith(wanted)) - Number(a.name.startsWith(wanted)))
}
