import type { EventStreams } from '../platform/http-server/event-streams.ts'
import { type Actor, mayActAs, type Role } from '../shared/actor.ts'
import type { ChangedKind } from '../shared/changes.ts'
import type { Authentication } from '../shared/ports/authentication.ts'
import type { LiveEvents } from './contract.ts'
import type { Changes, FollowChanges } from './follow-changes.ts'

export type StreamContext = {
  authentication: Authentication
  live: {
    streams: EventStreams
    followChanges: FollowChanges
    /** They announce their changes separately; null if something may have been missed. */
    channels: { followAll(hear: (changed: ChannelChange | null) => void): () => void }
  }
}

/** `readBy`: nothing new, this person has only read it. */
type ChannelChange = { channelId: string; readBy?: string; working?: unknown; typing?: unknown }

/** Who may read each kind, as in src/routes.ts. */
const readers: Record<ChangedKind, Role> = {
  runs: 'member',
  events: 'operator',
  approvals: 'member',
  questions: 'member',
  policies: 'operator',
  groups: 'operator',
  webhooks: 'operator',
  schedules: 'operator',
  rehearsals: 'operator',
  connectors: 'operator',
  workspaces: 'operator',
  settings: 'operator',
  users: 'admin',
  'api-keys': 'admin',
  sessions: 'admin',
}
/** A person may see some of these and not others, so only an admin hears which ones changed. */
const partlyVisible = new Set(['runs', 'approvals', 'questions'])

/** GET /stream. Carries ids and no content: clients then read what changed, with their current rights. */
export function streamChanges(
  ctx: StreamContext,
  reader: { raw: Request; source: string; actor: Actor },
): Response {
  let { actor } = reader
  return ctx.live.streams.open({
    reader: actor.id,
    async mayListen() {
      const now = await ctx.authentication.findActor(reader.raw, reader.source)
      if (now) actor = now
      return now !== null
    },
    async start(send) {
      const tell = <Name extends keyof LiveEvents>(name: Name, body: LiveEvents[Name]) => send({ name, body })
      const leaveChanges = ctx.live.followChanges((changes) => {
        if (changes === 'missed') return tell('missed', {})
        const visible = visibleTo(actor, changes)
        if (Object.keys(visible).length > 0) tell('changed', visible)
      })
      const leaveChannels = ctx.live.channels.followAll((change) => {
        if (change === null) return tell('channels.changed', {})
        const { channelId, readBy, working, typing } = change
        if (working || typing || (readBy !== undefined && readBy !== actor.id)) return
        // A member must not learn even that a private channel exists.
        if (mayActAs(actor, 'operator')) tell('channel.changed', { channelId })
        else tell('channels.changed', {})
      })
      return () => {
        leaveChanges()
        leaveChannels()
      }
    },
  })
}

function visibleTo(actor: Actor, changes: Changes): Changes {
  const admin = mayActAs(actor, 'admin')
  const { users } = changes
  const isAboutReader = users !== undefined && (users?.includes(actor.id) ?? true)
  return Object.fromEntries([
    // Everybody hears of their own role and name.
    ...(isAboutReader && !admin ? [['users', [actor.id]] as const] : []),
    ...Object.entries(changes)
      // The keys are those of Changes.
      .filter(([kind]) => mayActAs(actor, readers[kind as ChangedKind]))
      .map(([kind, ids]) => [kind, partlyVisible.has(kind) && !admin ? null : ids] as const),
  ])
}
