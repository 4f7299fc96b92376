import { isDeepStrictEqual } from 'node:util'
import { type Card, type Chat, ChatError } from '../chat/chat.ts'
import { findMessageByKey } from '../chat/store.ts'
import type { JobQueue, Jobs } from '../jobs.ts'
import type { Db } from '../platform/db/database.ts'
import { invisibleCharacters } from '../platform/invisible-characters.ts'
import type { ApprovalId, EventId, MessageId } from '../shared/ids.ts'
import { toolLabel } from '../shared/tool-label.ts'
import { nameRequester } from '../shared/wording/name-requester.ts'
import { writeTime } from '../shared/wording/write-time.ts'
import {
  type Approval,
  type ApprovingGroup,
  type DescribeEventsOf,
  type EarlierCall,
  inOneLine,
  type Person,
} from './approval.ts'
import { nameGroups } from './electorate.ts'
import { findShownApproval, listShownApprovals, type ShownApproval, saveCard } from './store.ts'

type Context = {
  db: Db
  queue: JobQueue
  chat: Chat
  publicUrl: string
  now: () => Date
  settings: { read(): Promise<{ timeZone: string }> }
  events: { describeOf: DescribeEventsOf }
}

/** How long a card that cannot be changed is still worth another try after its question has ended. */
const worthwhileMs = 24 * 60 * 60_000

/** Makes the card show the approval's current state, even if it changes meanwhile. May run any number of times, also concurrently. */
export async function showApproval(ctx: Context, approvalId: ApprovalId): Promise<void> {
  for (let shown: View | null = null; ; ) {
    const approval = await findShownApproval(ctx.db, approvalId)
    if (!approval) return
    const view = await viewOf(ctx, approval)
    if (isDeepStrictEqual(view, shown)) return
    try {
      await show(ctx, approval, view)
    } catch (error) {
      if (await deferIfUnavailable(ctx, { job: 'approval.show', payload: { approvalId } }, approval, error))
        return
      // The channel is gone and the approval is no longer pending: nobody needs the card.
      const isRefused = error instanceof ChatError && error.fault === 'refused'
      if (!isRefused || approval.status === 'pending') throw error
    }
    shown = view
  }
}

/** Without a card, the message is a list of questions. */
type View = { text: string; card?: Card; mentions: string[] }

async function viewOf(ctx: Context, approval: ShownApproval): Promise<View> {
  const { listKey, runId } = approval
  if (listKey !== null) {
    const listed = await listShownApprovals(ctx.db, listKey)
    const groups = new Set(listed.flatMap((one) => mentionsOf(one.groups)))
    return { text: writeList(listed, ctx.publicUrl), mentions: [...groups] }
  }
  const event = (await ctx.events.describeOf(ctx.db, [runId])).get(runId) ?? null
  return {
    text: headline(approval),
    card: toCard(approval, event, ctx.publicUrl),
    mentions: mentionsOf(approval.groups),
  }
}

async function show(ctx: Context, approval: Approval, view: View): Promise<void> {
  const { messageId, status, listKey } = approval
  const shown = messageId ?? (await post(ctx, approval, view))
  // An earlier try may have stored the card while the question was pending, and the first question of a list its beginning.
  if (messageId !== null || status !== 'pending' || listKey !== null) await ctx.chat.update(shown, view)
}

async function post(ctx: Context, approval: Approval, view: View): Promise<MessageId> {
  const { id, channelId, threadId, runId, status } = approval
  const key = approval.listKey ?? id
  const posted = await ctx.chat
    .post({ channelId, threadId, runId, key, ...view })
    .catch(async (error: unknown) => {
      if (!(error instanceof ChatError) || error.fault === 'unavailable') throw error
      // Sent with an unknown outcome, or refused for good: what we show of the channel still has the card.
      const kept = await findMessageByKey(ctx.db, channelId, key)
      if (!kept || (error.fault === 'refused' && status === 'pending')) throw error
      return { messageId: kept.id }
    })
  await saveCard(ctx.db, id, posted.messageId)
  return posted.messageId
}

type DeferredJob = {
  [Job in 'approval.show' | 'approval.remind' | 'approval.escalate']: { job: Job; payload: Jobs[Job] }
}['approval.show' | 'approval.remind' | 'approval.escalate']

/** A platform may be down, or its token refused, for longer than a job has tries. True if the job was sent again for later. */
async function deferIfUnavailable(
  { db, queue, now }: Context,
  { job, payload }: DeferredJob,
  { id, decidedAt }: Approval,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof ChatError) || error.fault !== 'unavailable') return false
  if (decidedAt !== null && now().getTime() - decidedAt.getTime() > worthwhileMs) return false
  await queue.send(db, job, payload, { key: id, startAfter: error.retryAfter ?? 1000 })
  return true
}

export async function remindOfApproval(ctx: Context, approvalId: ApprovalId): Promise<void> {
  const approval = await findShownApproval(ctx.db, approvalId)
  if (approval?.status !== 'pending') return
  const { timeZone } = await ctx.settings.read()
  const reminder = {
    channelId: approval.channelId,
    threadId: approval.threadId ?? approval.messageId,
    runId: approval.runId,
    text: `Still waiting for ${whoDecides(approval)}: ${toolLabel(approval.tool)}. It expires at ${writeTime(approval.expiresAt, timeZone)}. ${link(approval, ctx.publicUrl)}`,
    mentions: mentionsOf(approval.groups),
    // One for all questions of a list.
    key: `${approval.listKey ?? approvalId}:reminder`,
  }
  try {
    await ctx.chat.post(reminder)
  } catch (error) {
    const job = { job: 'approval.remind', payload: { approvalId } } as const
    if (!(await deferIfUnavailable(ctx, job, approval, error))) throw error
  }
}

/** Mentions the group to which a question goes that nobody has answered. Posted once, however often it is tried. */
export async function escalateApproval(
  ctx: Context,
  { approvalId, step }: Jobs['approval.escalate'],
): Promise<void> {
  const approval = await findShownApproval(ctx.db, approvalId)
  const to = approval?.escalate[step - 1]
  const group = approval?.groups.find(({ id }) => id === to?.to)
  if (approval?.status !== 'pending' || !to || !group) return
  const waited = to.afterMinutes === 1 ? '1 minute' : `${to.afterMinutes} minutes`
  try {
    await ctx.chat.post({
      channelId: approval.channelId,
      threadId: approval.threadId ?? approval.messageId,
      runId: approval.runId,
      text: `${plain(group.name)}: ${toolLabel(approval.tool)} has waited ${waited} for a decision, and you may decide it now. ${link(approval, ctx.publicUrl)}`,
      mentions: mentionsOf([group]),
      key: `${approval.listKey ?? approvalId}:escalation:${step}:${group.id}`,
    })
  } catch (error) {
    const job = { job: 'approval.escalate', payload: { approvalId, step } } as const
    if (!(await deferIfUnavailable(ctx, job, approval, error))) throw error
  }
}

function mentionsOf(groups: readonly ApprovingGroup[]): string[] {
  return groups.flatMap(({ slackUserGroup }) => slackUserGroup ?? [])
}

function whoDecides({ groups }: Pick<ShownApproval, 'groups'>): string {
  return groups.length === 0 ? 'an admin' : plain(nameGroups(groups))
}

function headline({ status, kind, decidedBy, reason, ...approval }: Approval): string {
  const tool = toolLabel(approval.tool)
  const who = decidedBy ? plainName(decidedBy) : 'An admin'
  switch (status) {
    case 'pending':
      return kind === 'confirm' ? `Confirm ${tool}? This cannot be undone.` : `May I call ${tool}?`
    case 'approved':
      return `${who} approved ${tool}.`
    case 'denied':
      return `${who} denied ${tool}${reason ? `: ${reason}` : '.'}`
    case 'expired':
      return `Nobody decided on ${tool} in time, so it was not called.`
    case 'void':
      if (decidedBy) return `${who} withdrew the request to call ${tool}${reason ? `: ${reason}` : '.'}`
      return `The request to call ${tool} is void: the tool, its connector, the channel, the run or the requester’s rights have changed.`
    default:
      throw new Error(`Unhandled status ${status satisfies never}`)
  }
}

type RungBy = { id: EventId; summary: string | null } | null

/** Nothing of the model's own words: what it would say for its request is no reason to send it. */
function toCard(approval: ShownApproval, event: RungBy, publicUrl: string): Card {
  const { request, requestedBy, decidedBy, toolDescription, outcome, runId } = approval
  const description = toolDescription ? `: ${shorten(plain(toolDescription))}` : ''
  return {
    kind: 'approval',
    approvalId: approval.id,
    ...(approval.edits > 0 ? { edition: approval.edits } : {}),
    title: headline(approval),
    lines: [
      ...(event?.summary ? [{ label: 'In the sender’s words', value: `“${plain(event.summary)}”` }] : []),
      { label: 'Tool', value: `${approval.tool} (${approval.capability})${description}` },
      ...editedLine(approval),
      ...approversLine(approval),
      ...(approval.askedBecause ? [{ label: 'Why it asks', value: approval.askedBecause }] : []),
      ...approval.earlier.map((one) => ({
        label: 'Earlier in this thread',
        value: describeEarlier(one, publicUrl),
      })),
      { label: 'Asked by', value: nameRequester({ ...requestedBy, name: plainName(requestedBy) }) },
      ...(event ? [{ label: 'Event', value: `${publicUrl}/events/${event.id}` }] : []),
      { label: 'Run', value: `${publicUrl}/runs/${runId}` },
      { label: 'Details', value: link(approval, publicUrl) },
    ],
    request: render(request),
    headers: Object.entries(request.headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
    state: approval.status,
    ...(decidedBy ? { decidedBy: plainName(decidedBy) } : {}),
    ...(outcome ? { outcome } : {}),
    confirm: approval.kind === 'confirm',
  }
}

/** Who may approve, and how many have: `Finance or Support · 1 of 2 approved: Kim`. Without groups, one admin needs no line. */
function approversLine({ groups, given, approvalsNeeded, status }: ShownApproval): Card['lines'] {
  if (groups.length === 0 && approvalsNeeded === 1) return []
  const names = given.map(({ by }) => plainName(by)).join(', ')
  const count = given.length
  const progress = `${count} of ${approvalsNeeded} approved${count > 0 ? `: ${names}` : ''}`
  const who = groups.length === 0 ? 'Admins' : plain(nameGroups(groups))
  const isCounted = approvalsNeeded > 1 && (status === 'pending' || status === 'approved')
  return [{ label: 'Approvers', value: isCounted ? `${who} · ${progress}` : who }]
}

/** What an approver made of the agent's input: `amount 80 → 50`. */
function editedLine({ editedBy, changes }: ShownApproval): Card['lines'] {
  if (!editedBy || !changes) return []
  const shown = changes.map(({ at, from, to }) => `${at.slice(1)}: ${inShort(from)} → ${inShort(to)}`)
  return [{ label: `Edited by ${plainName(editedBy)}`, value: plain(shown.join(', ')) }]
}

function inShort(value: unknown): string {
  return value === undefined ? '(none)' : shorten(JSON.stringify(value))
}

/** Of two refunds in a thread, the second may have been meant in place of the first. */
function describeEarlier({ id, status, request }: EarlierCall, publicUrl: string): string {
  const state = status === 'pending' ? 'still waits for a decision' : 'was approved'
  return `the same tool ${state}: ${plain(request)} ${publicUrl}/approvals/${id}`
}

/** People choose their own names: one must not look like another line of the card. */
function plainName({ name }: Person): string {
  return plain(name)
}

function plain(text: string): string {
  return text.replaceAll(invisibleCharacters, '').replaceAll(/\s+/g, ' ').trim()
}

function shorten(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 199).toWellFormed()}…`
}

/** What decides about the request first. A platform that cannot show all of it leaves out the headers, then the middle. */
function render({ method, url, body }: Approval['request']): string {
  return [`${method} ${url}`, ...(body === null ? [] : ['', body])].join('\n')
}

function link({ id }: Approval, publicUrl: string): string {
  return `${publicUrl}/approvals/${id}`
}

/** Many questions of one step as one message: a card each would bury the channel. Each is decided on its own page. */
function writeList(approvals: readonly ShownApproval[], publicUrl: string): string {
  const waiting = approvals.filter(({ status }) => status === 'pending').length
  const head =
    waiting === 0
      ? `None of these ${approvals.length} calls waits any longer.`
      : `${waiting} of ${approvals.length} calls wait for ${approvals.some(({ groups }) => groups.length > 0) ? 'a decision' : 'an admin'}. [Open to decide](${publicUrl}/approvals)`
  return [head, '', ...approvals.map((approval) => writeItem(approval, publicUrl))].join('\n')
}

function writeItem({ id, request, ...approval }: ShownApproval, publicUrl: string): string {
  return `- ${code(approval.tool)}: ${code(inOneLine(request))} [${stateOf(approval)}](${publicUrl}/approvals/${id})`
}

/** Code shows what is foreign as it is: nothing in it becomes a link, a line or a mention. */
function code(text: string): string {
  return `\`${text.replaceAll('`', 'ˋ').replaceAll(/\s+/g, ' ')}\``
}

function stateOf({ status, outcome, given, approvalsNeeded }: ShownOf): string {
  if (status === 'pending' && approvalsNeeded > 1) return `${given.length} of ${approvalsNeeded} approved`
  return outcome ? `${status} ${outcome}` : status
}

type ShownOf = Pick<ShownApproval, 'status' | 'outcome' | 'given' | 'approvalsNeeded'>
