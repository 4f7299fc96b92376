import {
  type EarlierEvents,
  type EventSource,
  findBodyOf,
  findEarlierEvents as findInLedger,
} from '../../events/ledger/earlier-events.ts'
import { beginningBytes } from '../../events/ledger/events.ts'
import type { Db } from '../../platform/db/database.ts'
import { type EventId, idPattern, type RunId } from '../../shared/ids.ts'
import { delimit } from '../prompt/delimiter.ts'
import type { Run } from '../store/run-rows.ts'

const maxEvents = 10
const maxWords = 8
const longestReply = 4000

/** What started it: this run itself, or the thread it is in. Null if a person began. */
export function eventSourceOf({
  sourceId,
  threadSourceId,
  channelId,
}: Pick<Run, 'sourceId' | 'threadSourceId' | 'channelId'>): EventSource | null {
  const source = sourceId ?? threadSourceId
  return source && channelId ? { sourceId: source, channelId } : null
}

/** Null if no event began this conversation. `about` is a text such as an id, or words of the event or its reply. */
export async function findEarlierEvents(
  db: Db,
  run: Run,
  about: string,
  earlierRunIds: readonly RunId[],
): Promise<EarlierEvents | null> {
  const source = eventSourceOf(run)
  if (!source) return null
  return await findInLedger(db, source, {
    words: [...new Set(about.split(/\s+/).map(trimMarks).filter(Boolean))].slice(0, maxWords),
    // In a thread, also those that came after the one it is about.
    before: run.eventId ?? undefined,
    without: earlierRunIds,
    limit: maxEvents,
  })
}

/** The whole of an event that the agent may look back at; null if there is none with this id. */
export async function findEarlierBody(db: Db, run: Run, id: string): Promise<string | null> {
  const source = eventSourceOf(run)
  // The pattern has just been tested.
  return source && idPattern('event').test(id) ? await findBodyOf(db, source, id as EventId) : null
}

/** As many as fit, the newest first; one at least. Each event and each reply stands between delimiter lines. */
export function writeEarlierEvents(found: EarlierEvents, delimiter: string, maxBytes: number): string {
  const { rows, contains, more, searchedBackTo } = found
  const notSearched = searchedBackTo
    ? ` Events before ${searchedBackTo.toISOString()} were not searched.`
    : ''
  if (rows.length === 0) return `There is no earlier event that matches.${notSearched}`
  const shown: string[] = []
  let left = maxBytes
  for (const row of rows) {
    const written = writeEvent(row, delimiter)
    left -= Buffer.byteLength(written)
    if (left < 0 && shown.length > 0) break
    shown.push(written)
  }
  const isAll = shown.length === rows.length && !more
  return [
    contains === 'all'
      ? 'Earlier events, the newest first:'
      : 'No event contains all of these words. These contain some of them, the newest first:',
    ...shown,
    isAll
      ? `There are no others.${notSearched}`
      : 'There are more, older ones. Give more words to find the right one.',
  ].join('\n\n')
}

function writeEvent(
  { id, receivedAt, sizeBytes, beginning, replyText }: EarlierEvents['rows'][number],
  delimiter: string,
): string {
  // As a stream, so that a character that is cut in half at the end is left out.
  const body = new TextDecoder().decode(beginning ?? undefined, { stream: true })
  const isCut = (beginning?.length ?? 0) >= beginningBytes
  return [
    delimit(delimiter, `event ${id} of ${receivedAt.toISOString()}`, body),
    ...(isCut
      ? [
          `These are its first ${beginningBytes} of ${sizeBytes} bytes. Read it with read_more ${JSON.stringify({ source: id })}.`,
        ]
      : []),
    replyText === null
      ? 'No reply was posted to it.'
      : delimit(delimiter, `reply to ${id}`, shorten(replyText)),
  ].join('\n')
}

function shorten(reply: string): string {
  return reply.length <= longestReply ? reply : `${reply.slice(0, longestReply).toWellFormed()}… (cut off)`
}

/** Punctuation around a word is the sentence's, not the event's. */
function trimMarks(word: string): string {
  return word.replace(/^["'“”‘’(]+/, '').replace(/["'“”‘’).,;:!?]+$/, '')
}
