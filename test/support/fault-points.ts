/** Where a fault hurts most, in the order a run meets them (`ctx.faults` in src/runs). */
export const faultPoints = [
  'run.started',
  'run.taken',
  'model.answered',
  'step.saved',
  'tools.before',
  'tools.after',
  'reply.saved',
  'reply.posted',
  'run.ended',
] as const

/** Where a worker is killed or stopped from outside, while it waits for somebody else. */
export const waitingPoints = ['model.asked', 'tool.asked'] as const
