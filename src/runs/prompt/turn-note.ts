import type { Role } from '../../shared/actor.ts'
import type { ReadsAcross } from '../../shared/scope.ts'
import { delimit } from './delimiter.ts'
import { silenceWord } from './silence.ts'

type TurnParts = {
  now: Date
  /** IANA, e.g. Europe/Berlin. */
  timeZone: string
  /** Who writes; null for an event. */
  asker: Asker | null
  /** In a thread, when the message does not mention the agent. */
  maySkip: boolean
  readsAcross: ReadsAcross
  /** In a thread, when the message says nothing else than the agent's name. */
  isBare?: boolean
  delimiter: string
  /** The calls of this thread that wait for a decision. */
  waiting: readonly { callId: string; tool: string; input: string; since: Date }[]
}

/** Without a role: somebody on a chat platform who is not linked to an account. */
type Asker = { name: string; role: Role | null }

/** When, who and where: what changes from turn to turn, so that everything before it stays the same for the provider's cache. */
export function composeTurnNote({
  now,
  timeZone,
  asker,
  maySkip,
  readsAcross,
  isBare = false,
  delimiter,
  waiting,
}: TurnParts): string {
  const sentences = [
    `Now: ${describeTime(now, timeZone)}.`,
    ...(asker
      ? [`You answer ${oneLine(asker.name)} (${describeRights(asker.role)}). You see this thread only.`]
      : []),
    ...(maySkip
      ? [
          `The message does not mention you. If it needs no answer from you (thanks, people talking to each other), answer with ${silenceWord} alone; then nothing is posted.`,
        ]
      : []),
    ...(readsAcross === 'one'
      ? [
          'Once you have read from one connector, a call of another one asks an admin, whatever its description says. Calls of one step do not count against each other.',
        ]
      : []),
    ...(isBare
      ? ['The message only mentions you: look at this thread, and say or do what helps the people in it.']
      : []),
    `The word of this turn is ${delimiter}.`,
  ].join(' ')
  if (waiting.length === 0) return sentences
  const calls = waiting.map(
    ({ callId, tool, input, since }) => `${callId} ${tool} ${input}, since ${describeTime(since, timeZone)}`,
  )
  return [
    sentences,
    'These calls of yours wait for a decision in this thread. Do not ask for the same again. If one is wrong or no longer wanted, take it back with withdraw_call before you ask for another.',
    delimit(delimiter, 'waiting for a decision', calls.join('\n')),
  ].join('\n\n')
}

function describeTime(time: Date, timeZone: string): string {
  if (timeZone !== clock.timeZone) clock = openClock(timeZone)
  return `${clock.weekday.format(time)} ${clock.dateAndTime.format(time)} (${timeZone})`
}

/** To make one takes longer than all the rest of a turn note. An installation has one time zone. */
let clock = openClock('UTC')

function openClock(timeZone: string) {
  return {
    timeZone,
    weekday: new Intl.DateTimeFormat('en-US', { weekday: 'long', timeZone }),
    // Swedish dates are written as in ISO 8601.
    dateAndTime: new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone }),
  }
}

export function describeAuthor({ name, role }: Asker): string {
  return `${oneLine(name)} (${role ?? 'no account'})`
}

function describeRights(role: Role | null): string {
  if (role === 'admin') return 'admin; may approve'
  return `${role ?? 'no account here'}; may not approve`
}

/** A name must not look like a line of its own, or like the end of a label. */
export function oneLine(name: string): string {
  return name.replaceAll(/[\s<>]+/g, ' ').trim()
}
