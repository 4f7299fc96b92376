/** The prefix tells people, logs and the type checker what kind of thing an id belongs to. */
const prefixes = {
  connector: 'con',
  tool: 'tool',
  webhook: 'hook',
  schedule: 'sched',
  watch: 'watch',
  event: 'evt',
  run: 'run',
  toolCall: 'call',
  approval: 'apr',
  question: 'qst',
  policy: 'pol',
  group: 'grp',
  channel: 'chan',
  message: 'msg',
  file: 'file',
  user: 'usr',
  apiKey: 'key',
  session: 'ses',
  view: 'view',
  workspace: 'wsp',
  audit: 'aud',
  refusal: 'ref',
  replica: 'rep',
  rehearsal: 'reh',
  case: 'case',
} as const

export type Thing = keyof typeof prefixes
export type Id<T extends Thing> = `${(typeof prefixes)[T]}_${string}`

export type ConnectorId = Id<'connector'>
export type ToolId = Id<'tool'>
export type WebhookId = Id<'webhook'>
export type ScheduleId = Id<'schedule'>
/** That a channel is watched. It shares its number with the channel. */
export type WatchId = Id<'watch'>
/** Whatever events come from. */
export type SourceId = WebhookId | ScheduleId | WatchId
export type EventId = Id<'event'>
export type RunId = Id<'run'>
export type ToolCallId = Id<'toolCall'>
export type ApprovalId = Id<'approval'>
export type QuestionId = Id<'question'>
export type PolicyId = Id<'policy'>
export type GroupId = Id<'group'>
export type ChannelId = Id<'channel'>
export type MessageId = Id<'message'>
export type FileId = Id<'file'>
export type UserId = Id<'user'>
export type ApiKeyId = Id<'apiKey'>
export type WorkspaceId = Id<'workspace'>
export type ReplicaId = Id<'replica'>
export type RehearsalId = Id<'rehearsal'>
export type CaseId = Id<'case'>

export function isScheduleId(id: SourceId): id is ScheduleId {
  return id.startsWith(`${prefixes.schedule}_`)
}

export function isWatchId(id: SourceId): id is WatchId {
  return id.startsWith(`${prefixes.watch}_`)
}

export function kindOfSource(id: SourceId): 'webhook' | 'schedule' | 'watch' {
  return isScheduleId(id) ? 'schedule' : isWatchId(id) ? 'watch' : 'webhook'
}

export function watchOf(channelId: ChannelId): WatchId {
  return `${prefixes.watch}_${channelId.slice(prefixes.channel.length + 1)}`
}

export function watchedChannel(id: WatchId): ChannelId {
  return `${prefixes.channel}_${id.slice(prefixes.watch.length + 1)}`
}

/** A prefix and a UUIDv7: ids sort by the time they were made, so they double as list cursors. */
export function newId<T extends Thing>(thing: T, now: Date = new Date()): Id<T> {
  return `${prefixes[thing]}_${uuidv7(now.getTime())}`
}

/**
 * Sorts before every id made at this time or later and after every earlier one, so it can bound a range of an index.
 */
export function firstIdAt(thing: Thing, time: Date): string {
  return `${prefixes[thing]}_${timeBits(Math.max(0, time.getTime()))}`
}

/** An event and its run share a number, so that each is found by the other and both sort alike. */
export function runOf(eventId: EventId): RunId {
  return `${prefixes.run}_${eventId.slice(prefixes.event.length + 1)}`
}

export function eventOf(runId: RunId): EventId {
  return `${prefixes.event}_${runId.slice(prefixes.run.length + 1)}`
}

let lastMs = 0
/** How many ids this process has made in that millisecond. */
let made = 0

/**
 * RFC 9562 §5.7, with the counter of §6.2, so that what one process makes within a millisecond is in order, too. Node has no UUIDv7;
 * the random bits and the variant come from its version 4.
 */
function uuidv7(timeMs: number): string {
  made = timeMs === lastMs ? Math.min(made + 1, 0xfff) : 0
  lastMs = timeMs
  return `${timeBits(timeMs)}-7${made.toString(16).padStart(3, '0')}${crypto.randomUUID().slice(18)}`
}

/** The first 48 bits, in two parts: one number of that size takes V8 twice as long to write. */
function timeBits(timeMs: number): string {
  const high = Math.floor(timeMs / 0x10000).toString(16)
  const low = (timeMs % 0x10000).toString(16)
  return `${high.padStart(8, '0')}-${low.padStart(4, '0')}`
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}'

/** The format of such an id, for request schemas. */
export function idPattern(thing: Thing): RegExp {
  return new RegExp(`^${prefixes[thing]}_${uuid}$`)
}
