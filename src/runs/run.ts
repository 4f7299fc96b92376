/** The life of a run. Only the files in store/ move a run, and only along these lines. */
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

// Object.keys of a constant object gives exactly its keys.
const runStatuses = Object.keys(runLife) as RunStatus[]

/** Nobody works on it any more, though its reply may still be posted later. */
export function isOver(status: RunStatus): boolean {
  return !(runLife[status].next as readonly string[]).includes('cancelled')
}

/** The states from which this one can be reached: what stands in the `where` of each move. */
export function statesBefore(status: RunStatus): RunStatus[] {
  return runStatuses.filter((from) => (runLife[from].next as readonly string[]).includes(status))
}
