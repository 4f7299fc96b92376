/** The life of a webhook. The URL stays the same through every move but rotation; deletion is final. */
const webhookLife = {
  active: { meaning: 'Accepts events and starts runs.', next: ['inactive', 'deleted'], answers: 200 },
  inactive: {
    meaning: 'Saved but not enabled; what waited already still runs.',
    next: ['active', 'deleted'],
    answers: 404,
  },
  deleted: { meaning: 'Gone for good; its URL is never given out again.', next: [], answers: 410 },
} as const

export type WebhookState = keyof typeof webhookLife
