import type { Message } from '../../../contract.ts'

/** May be changed and deleted by this person. */
export function isOwn({ author, deletedAt }: Message, userId: string): boolean {
  return author.kind === 'user' && author.id === userId && deletedAt === null
}
