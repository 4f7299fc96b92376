import type { MessageRow } from '../store.ts'

/** Stands for the first message of a thread that others began: we were mentioned there, and know only its id. */
export const foreignRootText = '(This thread began before Bellhop was called.)'

export function isForeignRoot({ authorKind, text }: Pick<MessageRow, 'authorKind' | 'text'>): boolean {
  return authorKind === 'system' && text === foreignRootText
}
