import type { RunRow } from '../../contract.ts'

const longestSubject = 48

/** The subject and the outcome. A long name is cut, so that the outcome stays visible. */
export function runHeadline(run: RunRow, name: string): string {
  const subject = name.length > longestSubject ? `${name.slice(0, longestSubject).trimEnd()}…` : name
  switch (run.status) {
    case 'queued':
      return `${subject} · Queued`
    case 'running':
      return `${subject} · Running`
    case 'waiting':
      return `${subject} · Waiting for approval`
    case 'succeeded':
      return run.reply ? `${subject} · Replied` : `${subject} · Finished without a reply`
    case 'failed':
      return `${subject} · Failed`
    case 'cancelled':
      return `${subject} · Canceled`
    default:
      throw new Error(`Unhandled status ${run.status satisfies never}`)
  }
}

export const triggerLabels: Record<RunRow['trigger'], string> = {
  webhook: 'Webhook event',
  schedule: 'Schedule',
  watch: 'Watched channel',
  chat: 'Chat message',
  replay: 'Replay',
  test: 'Test event',
  mcp: 'MCP client',
}

const unfinished: Partial<Record<RunRow['status'], string>> = {
  queued: 'Waiting to start',
  running: 'In progress',
  waiting: 'Waiting for approval',
}

/** In one sentence: what went wrong, or the beginning of the reply. */
export function outcomeOf(run: RunRow): string {
  return (
    run.error?.message ??
    firstLine(run.reply?.text) ??
    unfinished[run.status] ??
    (run.status === 'succeeded' ? 'Finished without a reply' : '–')
  )
}

/** Strips Markdown marks; an underscore inside a word belongs to a name. */
function firstLine(text: string | undefined): string | undefined {
  const line = text?.split('\n').find((candidate) => candidate.trim() !== '')
  return line?.replaceAll(/[*`#>]|(?<!\w)_+|_+(?!\w)/g, '').trim()
}

/** What the run came from. */
export function sourceOf(run: RunRow): string {
  return run.webhookName ?? run.scheduleName ?? triggerLabels[run.trigger]
}
