/** The states of a run. Only the files in store/ change a run's state, and only along these transitions. */
const runLife = {
  queued: { meaning: 'Asked for; no step was taken yet.', next: ['running', 'failed', 'cancelled'] },
  running: {
    meaning: 'At work, or its reply is on the way to the channel.',
    next: ['waiting', 'succeeded', 'failed', 'cancelled'],
  },
  waiting: {
    meaning: 'Stands still until somebody decides an approval.',
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

export type RunStatus = keyof typeof runLife

// Object.keys of a constant object returns exactly its keys.
const runStatuses = Object.keys(runLife) as RunStatus[]

/** Nobody works on it any more, though its reply may still be posted. */
export function isOver(status: RunStatus): boolean {
  return !(runLife[status].next as readonly string[]).includes('cancelled')
}

/** The states from which this one can be reached, for the `where` of each transition. */
export function statesBefore(status: RunStatus): RunStatus[] {
  return runStatuses.filter((from) => (runLife[from].next as readonly string[]).includes(status))
}
