/** The states of a run. Only the files in store/ change a run's state, and only along these transitions. */
const runTransitions = {
  queued: { meaning: 'Queued; no step taken yet.', next: ['running', 'failed', 'cancelled'] },
  running: {
    meaning: 'Running, or its reply is being posted.',
    next: ['waiting', 'succeeded', 'failed', 'cancelled'],
  },
  waiting: {
    meaning: 'Waiting for somebody to decide an approval.',
    next: ['running', 'failed', 'cancelled'],
  },
  succeeded: { meaning: 'The reply is posted.', next: [] },
  failed: {
    meaning:
      'Could not finish; the channel has a notice. Where only the posting failed, it can be tried again.',
    next: ['succeeded'],
  },
  cancelled: { meaning: 'Stopped by a person.', next: [] },
} as const satisfies Record<string, { meaning: string; next: readonly string[] }>

export type RunStatus = keyof typeof runTransitions

// Object.keys of a constant object returns exactly its keys.
const runStatuses = Object.keys(runTransitions) as RunStatus[]

/** Nobody works on it any more, though its reply may still be posted. */
export function isOver(status: RunStatus): boolean {
  return !(runTransitions[status].next as readonly string[]).includes('cancelled')
}

/** The states from which this one can be reached, for the `where` of each transition. */
export function statesBefore(status: RunStatus): RunStatus[] {
  return runStatuses.filter((from) => (runTransitions[from].next as readonly string[]).includes(status))
}
