import type { RunRow } from '../../contract.ts'

const longestSubject = 48

/** A sentence about the run. A long name is cut, so that the outcome stays visible. */
export function runHeadline(run: RunRow, name: string): string {
  const subject = name.length > longestSubject ? `${name.slice(0, longestSubject).trimEnd()}…` : name
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

export const triggerLabels: Record<RunRow['trigger'], string> = {
  webhook: 'Webhook event',
  chat: 'Chat message',
  replay: 'Replay',
  test: 'Test event',
  mcp: 'MCP client',
}
