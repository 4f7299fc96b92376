import { UnstyledButton } from '@mantine/core'
import { useState } from 'react'
import type { Message } from '../../../../contract.ts'
import { useMe } from '../../../accounts/use-me.ts'
import { Thumbs } from '../../../runs/thumbs.tsx'
import { useEditing } from '../editing.ts'
import { AddReaction } from './add-reaction.tsx'
import { ReactionPill } from './reaction-pill.tsx'
import classes from './reactions.module.css'
import { useReact } from './use-react.ts'

/** Two lines on a phone. */
const mostShown = 8

/** How people reacted to a message, the first emoji first; thumbs to a reply of the agent are its rating. */
export function Reactions({ message }: { message: Message }) {
  const { isBuiltIn } = useEditing()
  const me = useMe()
  const react = useReact(message)
  const [isWhole, setIsWhole] = useState(false)
  const { reactions, thumbs, runId, origin } = message
  if (reactions.length === 0 && !thumbs?.length) return null
  // One more would take the place of the button.
  const isLong = reactions.length > mostShown + 1
  const shown = reactions.filter(
    ({ people }, at) => !isLong || isWhole || at < mostShown || people.some(({ id }) => id === me.id),
  )
  const more = reactions.length - shown.length
  return (
    <div className={classes.reactions}>
      {thumbs && runId && <Thumbs as="pills" runId={runId} thumbs={thumbs} eventId={origin?.eventId} />}
      {shown.map(({ name, emoji, people }) => (
        <ReactionPill
          key={name}
          emoji={emoji}
          name={`:${name}:`}
          people={people}
          onPress={isBuiltIn ? (isOwn) => react.mutate({ name, isAdded: !isOwn }) : undefined}
        />
      ))}
      {isLong && (more > 0 || isWhole) && (
        <UnstyledButton
          className={classes.pill}
          aria-expanded={isWhole}
          aria-label={isWhole ? 'Show fewer reactions' : `Show ${more} more reactions`}
          onClick={() => setIsWhole(!isWhole)}
        >
          {isWhole ? 'Show fewer' : `+${more}`}
        </UnstyledButton>
      )}
      {isBuiltIn && <AddReaction message={message} className={classes.pill} />}
    </div>
  )
}
