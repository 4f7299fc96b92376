import { Tooltip, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useMe } from '../../../accounts/use-me.ts'
import classes from './reactions.module.css'

type Props = {
  emoji: string
  /** For the tooltip: `:tada:`. */
  name: string
  people: { id: string; name: string }[]
  /** Missing where nobody can react from here. */
  onPress?: ((isOwn: boolean) => void) | undefined
}

const mostNamed = 12
const list = new Intl.ListFormat('en')

/** An emoji with the number of people behind it. One press joins them, the next one takes it back. */
export function ReactionPill({ emoji, name, people, onPress }: Props) {
  const me = useMe()
  const isOwn = people.some(({ id }) => id === me.id)
  const names = nameAll(people, me.id)
  const content = (
    <>
      <span aria-hidden className={classes.emoji}>
        {emoji}
      </span>
      <span aria-hidden>{people.length}</span>
      <VisuallyHidden>
        {emoji} {people.length}, {names}
      </VisuallyHidden>
    </>
  )
  return (
    <Tooltip
      label={`${names} reacted with ${name}`}
      multiline
      maw={280}
      events={{ hover: true, focus: true, touch: true }}
    >
      {onPress ? (
        <UnstyledButton className={classes.pill} aria-pressed={isOwn} onClick={() => onPress(isOwn)}>
          {content}
        </UnstyledButton>
      ) : (
        <span className={classes.pill}>{content}</span>
      )}
    </Tooltip>
  )
}

/** `You, Mia and 3 others`. */
function nameAll(people: Props['people'], meId: string): string {
  const others = people.filter(({ id }) => id !== meId).map(({ name }) => name)
  const all = [...(others.length < people.length ? ['You'] : []), ...others]
  const more = all.length - mostNamed
  return list.format(more > 1 ? [...all.slice(0, mostNamed), `${more} others`] : all)
}
