import { ChatError } from '../../chat/chat.ts'
import { escapeMarkdown } from '../../chat/text/escape-markdown.ts'
import type { EventMetrics } from '../../events/inbox/event-metrics.ts'
import { findTrigger, type Trigger } from '../../events/inbox/find-trigger.ts'
import { moveEvent } from '../../events/inbox/move-events.ts'
import { describeEvent } from '../../events/ledger/describe-event.ts'
import { recordNotice } from '../../events/rules/store.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import type { EventId } from '../../shared/ids.ts'
import { fillTemplate, parseTemplate } from '../../shared/template.ts'
import type { ReplyContext } from '../reply/post-reply.ts'
import { findKeyedEvent, type KeyedEvent } from './event-threads.ts'
import { markThread, postToThread } from './post-to-thread.ts'

type Context = ReplyContext & { metrics: Pick<EventMetrics, 'eventsByRule'> }

/** The job: a rule posts a text without asking the model, or only marks a thread. If the job runs twice, the message is posted once. */
export async function notifyEvent(ctx: Context, eventId: EventId): Promise<void> {
  const trigger = await findTrigger(ctx.db, eventId)
  const rule = trigger?.event.verdict?.rule
  // It was erased or deleted meanwhile.
  if (!trigger || !rule || trigger.event.body === null) return
  try {
    const keyed = await findKeyedEvent(ctx.db, eventId, trigger.source.channelId)
    if (rule.then === 'notify') await postNotice(ctx, trigger, keyed)
    if (keyed) await markThread(ctx, keyed)
  } catch (error) {
    if (!(error instanceof ChatError) || error.fault === 'unavailable') throw error
    ctx.log.warn({ err: error, eventId }, 'notice.not_posted')
    await moveEvent(ctx.db, eventId, 'failed')
    return
  }
  const outcome = rule.then === 'notify' ? 'notified' : 'skipped'
  if (await moveEvent(ctx.db, eventId, outcome)) ctx.metrics.eventsByRule.inc({ outcome })
}

/** The key under which the notice of an event is posted. */
export function noticeKey(eventId: EventId): string {
  return `notice:${eventId}`
}

async function postNotice(ctx: Context, { source, event }: Trigger, keyed: KeyedEvent | null): Promise<void> {
  const text = composeNotice(event)
  const origin = { source: source.name, eventId: event.id, title: summarize(event) }
  const post = { channelId: source.channelId, threadId: null, text, key: noticeKey(event.id), origin }
  const { permalink } = keyed ? await postToThread(ctx, keyed, post) : await ctx.chat.post(post)
  await recordNotice(ctx.db, event.id, { text, permalink })
}

/** The operator's text is Markdown. What the sender wrote is inserted as plain text. */
function composeNotice(event: Trigger['event']): string {
  const { verdict } = event
  const template = parseTemplate(verdict?.rule?.text ?? '') ?? []
  const values = [...(verdict?.values ?? [])]
  const isEmpty = values.length > 0 && values.every((value) => value === null)
  const text = fillTemplate(template, () => plain(values.shift() ?? '–'))
  if (!isEmpty) return replaceNul(text)
  // Nothing of what the text points to is in the body: tell at least what came.
  const summary = summarize(event)
  return replaceNul(summary === null ? text : `${text}\n\n${plain(summary)}`)
}

function summarize({ headers, body }: Trigger['event']): string | null {
  return describeEvent({ headers, beginning: Buffer.from(body ?? ''), isWhole: true })
}

function plain(value: string): string {
  return escapeMarkdown(value.replaceAll(/\s+/g, ' '))
}
