import type { Message } from '../../../../contract.ts'
import { Thumbs } from '../../../runs/thumbs.tsx'
import { useEditing } from '../editing.ts'
import { AddReaction } from './add-reaction.tsx'
import { ReactionPill } from './reaction-pill.tsx'
import classes from './reactions.module.css'
import { useReact } from './use-react.ts'

/** How people reacted to a message; thumbs to a reply of the agent are its rating. */
export function Reactions({ message }: { message: Message }) {
  const { isBuiltIn } = useEditing()
  const react = useReact(message)
  const { reactions, thumbs, runId, origin } = message
  if (reactions.length === 0 && !thumbs?.length) return null
  return (
    <div className={classes.reactions}>
      {thumbs && runId && <Thumbs as="pills" runId={runId} thumbs={thumbs} eventId={origin?.eventId} />}
      {reactions.map(({ name, emoji, people }) => (
        <ReactionPill
          key={name}
          emoji={emoji}
          name={`:${name}:`}
          people={people}
          onPress={isBuiltIn ? (isOwn) => react.mutate({ name, isAdded: !isOwn }) : undefined}
        />
      ))}
      {isBuiltIn && <AddReaction message={message} className={classes.pill} />}
    </div>
  )
}
