import type { EventStatus } from '../contract.ts'

/** The states of an event. In every state it can be replayed and erased. Only inbox/move-events.ts and, when rules judge it, rules/store.ts change it, along these transitions. */
export const eventTransitions = {
  accepted: {
    meaning: 'Committed and waiting in the inbox.',
    // Failed if somebody cancels the run before it starts.
    next: ['dispatched', 'failed', 'ignored', 'skipped', 'joined'],
  },
  dispatched: {
    meaning: 'Its run was started, or its notice is being posted.',
    // Waiting again if the webhook's budget was spent before the run started.
    next: ['done', 'failed', 'dead', 'ignored', 'accepted', 'skipped', 'notified'],
  },
  done: { meaning: 'Its run succeeded: the reply is posted.', next: [] },
  failed: {
    meaning: 'Its run failed or was cancelled; the channel has a notice.',
    // If a reply that could not be posted was posted after all.
    next: ['done'],
  },
  dead: {
    meaning: 'Its run could not be started, five times in a row.',
    next: [],
  },
  skipped: {
    meaning:
      'A rule of its webhook said that it needs no run, or the run before it of its schedule was still at work.',
    next: [],
  },
  missed: { meaning: 'Bellhop was not running when its schedule was due.', next: [] },
  notified: { meaning: 'A rule of its webhook posted a text instead of a run.', next: [] },
  joined: {
    meaning: 'The run of another event with the same key handles it.',
    // If that event was erased before its run started.
    next: ['accepted'],
  },
  ignored: {
    meaning: 'It started no run: its webhook was deleted or the event was erased while it waited.',
    next: [],
  },
} as const satisfies Record<EventStatus, { meaning: string; next: readonly string[] }>

/** The states from which this one can be reached, for the `where` of each transition. */
export function statesBefore(status: EventStatus): EventStatus[] {
  // Object.keys of a constant object returns exactly its keys.
  return (Object.keys(eventTransitions) as EventStatus[]).filter((from) =>
    (eventTransitions[from].next as readonly string[]).includes(status),
  )
}
