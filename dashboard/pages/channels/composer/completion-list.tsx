import type { Option } from './completion.ts'
import classes from './composer.module.css'

type Props = {
  id: string
  options: Option[]
  active: number
  onPick: (option: Option) => void
}

/** Above the text; the keys stay with the text. */
export function CompletionList({ id, options, active, onPick }: Props) {
  return (
    <div id={id} role="listbox" aria-label="Suggestions" className={classes.suggestions}>
      {options.map((option, at) => (
        <div
          key={option.label}
          id={`${id}-${at}`}
          role="option"
          // Reached by arrow keys from the text.
          tabIndex={-1}
          aria-selected={at === active}
          className={classes.suggestion}
          // Before the text loses the focus.
          onPointerDown={(event) => {
            event.preventDefault()
            onPick(option)
          }}
        >
          <bdi>{option.label}</bdi>
          <span className={classes.suggestionHint}>{option.hint}</span>
        </div>
      ))}
    </div>
  )
}
