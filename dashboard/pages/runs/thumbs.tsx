import { ActionIcon, Anchor, Button, Chip, Group, Popover, Stack, Text, Textarea } from '@mantine/core'
import {
  IconThumbDown,
  IconThumbDownFilled,
  IconThumbUp,
  IconThumbUpFilled,
  type TablerIcon,
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { reasonLabels, thumbReasons } from '../../../src/chat/thumbs/contract.ts'
import { call } from '../../api.ts'
import type { Run } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useHasRole, useMe } from '../accounts/use-me.ts'
import { ReactionPill } from '../channels/messages/reactions/reaction-pill.tsx'

type Thumb = NonNullable<Run['thumbs']>[number]
type Props = {
  runId: string
  thumbs: Thumb[]
  /** Of a webhook or schedule: a bad reply is kept as a case. */
  eventId?: string | null | undefined
  /** Asks why at once: somebody came here to say it. */
  asks?: boolean
  /** Below a message: of those that somebody gave. */
  as?: 'buttons' | 'pills'
}

/** Two buttons with the number of people behind each. A second press takes the thumb back; a thumb down asks why. */
export function Thumbs({ runId, thumbs, eventId, asks = false, as = 'buttons' }: Props) {
  const me = useMe()
  const own = thumbs.find(({ person }) => person.id === me.id)
  const [isOpen, setIsOpen] = useState(asks)
  const path = `/runs/${runId}/thumb`
  const changes = [`/runs/${runId}`, '/runs']
  const rate = useAction(
    (rating: object | null) => call<Run>(rating ? 'PUT' : 'DELETE', path, rating ?? undefined),
    {
      changes,
    },
  )
  const press = (thumb: 'up' | 'down') => {
    const isOwn = own?.thumb === thumb
    rate.mutate(isOwn ? null : { thumb })
    setIsOpen(thumb === 'down' && !isOwn)
  }
  const shared = { as, thumbs, own: own?.thumb, onPress: press, disabled: rate.isPending }
  return (
    <Group gap={as === 'pills' ? 4 : 2} wrap="nowrap">
      <ThumbButton {...shared} thumb="up" label="Good reply" icon={IconThumbUp} pressed={IconThumbUpFilled} />
      <Popover
        opened={isOpen}
        onChange={setIsOpen}
        position="bottom-start"
        width={320}
        trapFocus
        shadow="none"
        // The target is no button itself, so it has no role that could have a popup.
        withRoles={false}
      >
        <Popover.Target>
          <span>
            <ThumbButton
              {...shared}
              thumb="down"
              label="Bad reply"
              icon={IconThumbDown}
              pressed={IconThumbDownFilled}
            />
          </span>
        </Popover.Target>
        <Popover.Dropdown role="dialog" aria-label="What was wrong">
          <Why
            given={own}
            eventId={eventId ?? null}
            onSay={(why) => {
              rate.mutate({ thumb: 'down', ...why })
              setIsOpen(false)
            }}
          />
        </Popover.Dropdown>
      </Popover>
    </Group>
  )
}

type ButtonProps = {
  as: 'buttons' | 'pills'
  thumb: 'up' | 'down'
  label: string
  thumbs: Thumb[]
  own: 'up' | 'down' | undefined
  icon: TablerIcon
  pressed: TablerIcon
  disabled: boolean
  onPress: (thumb: 'up' | 'down') => void
}

function ThumbButton({ as, thumb, label, thumbs, own, icon, pressed, disabled, onPress }: ButtonProps) {
  const people = thumbs.filter((one) => one.thumb === thumb)
  if (as === 'pills') {
    if (people.length === 0) return null
    return (
      <ReactionPill
        emoji={thumb === 'up' ? '👍' : '👎'}
        name={label.toLowerCase()}
        people={people.map(({ person }) => person)}
        onPress={() => !disabled && onPress(thumb)}
      />
    )
  }
  const Icon = own === thumb ? pressed : icon
  return (
    <Group gap={2} wrap="nowrap" title={people.map(({ person }) => person.name).join(', ') || label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={label}
        aria-pressed={own === thumb}
        aria-disabled={disabled}
        onClick={() => !disabled && onPress(thumb)}
      >
        <Icon size="1rem" stroke={1.5} aria-hidden />
      </ActionIcon>
      {people.length > 0 && (
        <Text span size="xs" c="dimmed">
          {people.length}
        </Text>
      )}
    </Group>
  )
}

type Reason = { reason: string | null; note: string | null }

type WhyProps = { given: Thumb | undefined; eventId: string | null; onSay: (why: Reason) => void }

function Why({ given, eventId, onSay }: WhyProps) {
  const operator = useHasRole('operator')
  const [reason, setReason] = useState<string | null>(given?.reason ?? null)
  const [note, setNote] = useState(given?.note ?? '')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onSay({ reason, note: note.trim() || null })
      }}
    >
      <Stack gap="xs">
        <Text size="sm" fw={600}>
          What was wrong with this reply?
        </Text>
        <Chip.Group value={reason} onChange={setReason}>
          <Group gap={6}>
            {thumbReasons.map((one) => (
              <Chip key={one} value={one} size="xs" radius="sm">
                {reasonLabels[one]}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
        <Textarea
          label="Details"
          description="Optional. Everybody who may see this reply can read them."
          autosize
          minRows={2}
          maxRows={6}
          maxLength={1000}
          value={note}
          onChange={({ currentTarget }) => setNote(currentTarget.value)}
        />
        <Group justify="space-between">
          {operator && eventId ? (
            <Anchor component={Link} to={`/events/${eventId}?case=edit`} size="sm">
              Keep as a case…
            </Anchor>
          ) : (
            <span />
          )}
          <Button type="submit" size="xs">
            Send feedback
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** Who found the reply bad and why, one line each. */
export function ThumbReasons({ thumbs, eventId }: Pick<Props, 'thumbs' | 'eventId'>) {
  const operator = useHasRole('operator')
  const down = thumbs.filter(({ thumb }) => thumb === 'down')
  if (down.length === 0) return null
  return (
    <Stack gap={2} align="flex-start">
      {down.map(({ person, reason, note }) => (
        <Text key={person.id} size="sm">
          <IconThumbDown size="0.875rem" stroke={1.5} aria-label="Bad reply" /> <b>{person.name}</b>
          {reason && `: ${reasonLabels[reason]}`}
          {note && ` – ${note}`}
        </Text>
      ))}
      {operator && eventId && (
        <Anchor component={Link} to={`/events/${eventId}?case=edit`} size="sm">
          Keep as a case…
        </Anchor>
      )}
    </Stack>
  )
}
