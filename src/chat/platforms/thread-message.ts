/** A message of a thread, whoever wrote it. */
export type ThreadMessage = {
  externalId: string
  author: { id: string; name: string; kind: 'person' | 'app' | 'us' }
  /** Markdown, also of what an app shows as blocks, attachments or embeds. */
  text: string
  at: string
}
