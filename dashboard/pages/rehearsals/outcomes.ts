import type { Rehearsal } from '../../contract.ts'
import type { Tone } from '../../ui/feedback/status-badge.tsx'

export type Outcome = keyof Rehearsal['counts']

/** The worst first. */
export const outcomes: readonly { id: Outcome; word: string; tone: Tone }[] = [
  { id: 'newWrite', word: 'new write', tone: 'bad' },
  { id: 'failed', word: 'failed', tone: 'bad' },
  { id: 'notRecorded', word: 'not recorded', tone: 'waiting' },
  { id: 'writeGone', word: 'write gone', tone: 'waiting' },
  { id: 'replyDiffers', word: 'reply differs', tone: 'idle' },
  { id: 'same', word: 'same', tone: 'good' },
]

export const statuses: Record<Rehearsal['status'], { tone: Tone; word: string }> = {
  queued: { tone: 'idle', word: 'queued' },
  running: { tone: 'busy', word: 'running' },
  done: { tone: 'good', word: 'done' },
  cancelled: { tone: 'idle', word: 'canceled' },
  failed: { tone: 'bad', word: 'failed' },
}

const names: Record<keyof Rehearsal['change'], string> = {
  prompt: 'prompt',
  model: 'model',
  instructions: 'instructions',
  rules: 'rules',
  connectorIds: 'connectors',
  ceiling: 'maximum permission',
  allowSilence: 'optional replies',
  policies: 'policies',
  tools: 'descriptions of tools',
}

/** What is tried: `prompt, model`. */
export function changeWords(change: Rehearsal['change']): string {
  const tried = Object.keys(change).map((name) => names[name as keyof Rehearsal['change']]) // only such keys
  return tried.join(', ') || 'no change'
}
