import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { idParam } from '../http/id-param.ts'
import { pageQuery, searchTime, toPage } from '../http/paging.ts'
import { problem } from '../http/problems.ts'
import { sourceQuery } from '../shared/source-fields.ts'
import { eventShape, eventStatuses, eventsPage } from './contract.ts'
import { type EraseContext, eraseEvent } from './ledger/erase-event.ts'
import * as ledger from './ledger/events.ts'
import { searchEvents, listEventTypes as selectTypes } from './ledger/search-events.ts'
import { showEvent } from './ledger/show-event.ts'

const define = endpoint<EraseContext>()

const params = z.object({ id: idParam('event') })

export const listEvents = define({
  summary: 'List events, newest first',
  query: pageQuery.extend({
    ...sourceQuery,
    channelId: z.string().optional(),
    runId: z.string().optional(),
    status: z.enum(eventStatuses).optional(),
    /** Of a `dispatched` event: whether its run waits for a decision about a tool call, or is at work. */
    waitsForApproval: z.stringbool().optional(),
    from: searchTime,
    to: searchTime,
    /** Matches part of the body, or the whole delivery id. A page may hold few or none and still have a next one. */
    text: z.string().min(1).max(200).optional(),
    /** As in `type` of an event, and searched for in the same way as a text. */
    type: z.string().min(1).max(200).optional(),
  }),
  returns: eventsPage,
  async answer({ db }, { query: { text, type, webhookId, scheduleId, ...query } }) {
    const filter = { ...query, sourceId: webhookId ?? scheduleId }
    const { rows, searchedTo } =
      text === undefined && type === undefined
        ? { rows: await ledger.listEvents(db, filter), searchedTo: null }
        : await searchEvents(db, filter, { text, type })
    const page = toPage(rows, filter.limit, searchedTo)
    const shown = { ...page, items: page.items.map(showEvent) }
    return searchedTo ? { ...shown, searchedBackTo: searchedTo.receivedAt.toISOString() } : shown
  },
})

/** More than enough to know what a sender sends. */
const looksAt = 500

export const listEventTypes = define({
  summary: 'List the types among the 500 newest events, the most frequent first',
  query: z.object(sourceQuery),
  returns: z.object({ items: z.array(z.string()) }),
  async answer({ db }, { query: { webhookId, scheduleId } }) {
    const sourceId = webhookId ?? scheduleId
    return { items: await selectTypes(db, { limit: looksAt, ...(sourceId ? { sourceId } : {}) }) }
  },
})

export const readEvent = define({
  summary: 'Get an event',
  params,
  returns: eventShape,
  problems: ['not-found'],
  async answer({ db }, { params }) {
    const row = await ledger.findEvent(db, params.id)
    if (!row) throw noEvent()
    return showEvent(row)
  },
})

export const downloadBody = define({
  summary: 'Download an event’s body, byte for byte',
  params,
  mediaType: 'application/octet-stream',
  problems: ['not-found', 'body-erased'],
  async answer({ db }, { params }) {
    const found = await ledger.findBody(db, params.id)
    if (!found) throw noEvent()
    if (found.body === null) throw problem('body-erased', 'It was erased and cannot be restored.')
    return new Response(new Uint8Array(found.body), {
      headers: {
        // Never a type that a browser would render: the sender wrote the content.
        'content-type': 'application/octet-stream',
        'content-disposition': `attachment; filename="${params.id}.json"`,
        'x-content-type-options': 'nosniff',
      },
    })
  },
})

export const dropEvent = define({
  summary: 'Erase an event’s content and everything derived from it; the record that it arrived remains',
  params,
  problems: ['not-found'],
  async answer(ctx, { caller, params }) {
    if (!(await eraseEvent(ctx, caller, params.id))) throw noEvent()
  },
})

function noEvent() {
  return problem(
    'not-found',
    'There is no event with this id; events are kept for 30 days unless set otherwise.',
  )
}
