import type { Role } from '../../shared/actor.ts'
import type { ReadsAcross } from '../../shared/scope.ts'
import { writeTimeWithDay } from '../../shared/wording/write-time.ts'
import type { RunScope } from '../../tools/gate/narrow-scope.ts'
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
  /** The most that a tool may do in this run; null if there is no limit. */
  ceiling: RunScope['ceiling']
  /** In a thread, when the message says nothing else than the agent's name. */
  isBare?: boolean
  delimiter: string
  /** The calls of this thread that wait for a decision. */
  waiting: readonly {
    callId: string
    tool: string
    input: string
    requestedBy: { kind: string; name: string }
    since: Date
  }[]
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
  ceiling,
  isBare = false,
  delimiter,
  waiting,
}: TurnParts): string {
  const sentences = [
    `Now: ${writeTimeWithDay(now, timeZone)}.`,
    ...(asker
      ? [`You answer ${oneLine(asker.name)} (${describeRights(asker.role)}). You see this thread only.`]
      : []),
    ...(maySkip
      ? [
          `The message does not mention you. If it needs no answer from you (thanks, people talking to each other), answer with ${silenceWord} alone; then nothing is posted.`,
        ]
      : []),
    ...(ceiling && refusedAbove[ceiling] ? [refusedAbove[ceiling]] : []),
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
    ({ callId, tool, input, requestedBy, since }) =>
      `${callId} ${tool} ${input}, asked for by ${describeRequester(requestedBy)}, since ${writeTimeWithDay(since, timeZone)}`,
  )
  return [
    sentences,
    'These calls of yours wait for a decision in this thread. Do not ask for the same again. If one is wrong or no longer wanted, take it back with withdraw_call before you ask for another: whoever asked for it may want that, or an admin.',
    delimit(delimiter, 'waiting for a decision', calls.join('\n')),
  ].join('\n\n')
}

/** Without this, a model announces calls that are refused. */
const refusedAbove: Record<NonNullable<RunScope['ceiling']>, string | null> = {
  read: 'Tools that change something are refused here.',
  write: 'Tools whose calls are confirmed in the channel are refused here.',
  destructive: null,
}

/** As in the lists of the dashboard: a webhook and a schedule are named as such. */
export function describeRequester({ kind, name }: { kind: string; name: string }): string {
  if (kind === 'watch') return 'this watched channel'
  return kind === 'webhook' || kind === 'schedule' ? `the ${kind} ${JSON.stringify(name)}` : oneLine(name)
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
