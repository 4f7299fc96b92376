import type { RunRow } from '../../contract.ts'

/** What a person would say about the run. */
export function runHeadline(run: RunRow, subject: string): string {
  switch (run.status) {
    case 'queued':
      return `${subject}: waits for its turn`
    case 'running':
      return `${subject}: the agent is working`
    case 'waiting':
      return `${subject}: waits for an admin`
    case 'succeeded':
      return run.reply ? `${subject}: replied` : `${subject}: ended without a message`
    case 'failed':
      return `${subject}: failed`
    case 'cancelled':
      return `${subject}: cancelled`
    default:
      throw new Error(`Unhandled status ${run.status satisfies never}`)
  }
}

export const triggerWords: Record<RunRow['trigger'], string> = {
  webhook: 'Webhook event',
  chat: 'Chat message',
  replay: 'Replay',
  test: 'Test event',
  mcp: 'MCP client',
}
