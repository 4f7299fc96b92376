import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { pageOf, pageQuery, toPage } from '../../http/paging.ts'
import { problem } from '../../http/problems.ts'
import type { ChannelId } from '../../shared/ids.ts'
import { getChannel } from '../channels/manage-channels.ts'
import { type Chat, ChatError } from '../chat.ts'
import { workspaceIdShape } from '../contract.ts'
import { eventsUrlOf } from '../platforms/connection.ts'
import { findMissingScopes, slackAppManifest } from '../platforms/slack/app-manifest.ts'
import {
  connectionFields,
  connectionOf,
  newWorkspace,
  testMessage,
  testMessageResult,
  type Workspace,
  workspacePatch,
  workspaceShape,
} from './contract.ts'
import {
  changeWorkspace,
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  refreshChannels,
  type WorkspaceContext,
} from './manage-workspaces.ts'
import { openWorkspace } from './open-platform.ts'
import { listWorkspaces as readWorkspaces, type WorkspaceRow } from './store.ts'

type Context = WorkspaceContext & { chat: Chat }

const define = endpoint<Context>()
const params = z.object({ id: workspaceIdShape })

export const listWorkspaces = define({
  summary: 'List the connected chat workspaces and their status',
  query: pageQuery,
  returns: pageOf(workspaceShape),
  async answer(ctx, { query }) {
    const page = toPage(await readWorkspaces(ctx.db, query), query.limit)
    return { ...page, items: page.items.map((row) => render(ctx, row)) }
  },
})

export const addWorkspace = define({
  summary: 'Connect a workspace; without its secrets it is saved as a draft',
  body: newWorkspace,
  status: 201,
  returns: workspaceShape,
  problems: ['workspace-unreachable', 'address-not-allowed'],
  async answer(ctx, { body: { platform, ...input }, caller }) {
    return render(ctx, await createWorkspace(ctx, caller, platform, input))
  },
})

export const readWorkspace = define({
  summary: 'Get a workspace',
  params,
  returns: workspaceShape,
  problems: ['not-found'],
  answer: async (ctx, { params: { id } }) => render(ctx, await getWorkspace(ctx.db, id)),
})

export const patchWorkspace = define({
  summary: 'Update or reconnect a workspace',
  params,
  body: workspacePatch,
  returns: workspaceShape,
  problems: ['not-found', 'workspace-unreachable', 'address-not-allowed'],
  answer: async (ctx, { params: { id }, body, caller }) =>
    render(ctx, await changeWorkspace(ctx, caller, id, body)),
})

export const dropWorkspace = define({
  summary: 'Disconnect a workspace that no webhook uses',
  params,
  problems: ['not-found', 'in-use'],
  answer: (ctx, { params: { id }, caller }) => deleteWorkspace(ctx, caller, id),
})

export const refreshWorkspace = define({
  summary: 'Refresh the list of channels, including those deleted here',
  params,
  returns: z.object({ channels: z.int() }),
  problems: ['not-found', 'workspace-unreachable'],
  answer: async (ctx, { params: { id }, caller }) => ({ channels: await refreshChannels(ctx, caller, id) }),
})

export const testWorkspace = define({
  summary: 'Send a test message to a channel of the workspace',
  params,
  body: testMessage,
  returns: testMessageResult,
  problems: ['not-found', 'workspace-unreachable'],
  async answer(ctx, { params: { id }, body, actor }) {
    const channel = await getChannel(ctx.db, actor, body.channelId)
    if (channel.workspaceId !== id) throw problem('not-found', 'The channel is in another workspace.')
    try {
      const { messageId, permalink } = await ctx.chat.post({
        // Validated by the schema.
        channelId: body.channelId as ChannelId,
        threadId: null,
        text: `This is a test message. ${actor.name} asked for it.`,
        key: `test:${randomUUID()}`,
        author: 'system',
      })
      return { messageId, permalink }
    } catch (error) {
      if (!(error instanceof ChatError)) throw error
      throw problem('workspace-unreachable', error.message, { cause: error })
    }
  },
})

export const readManifest = define({
  summary: 'Get the app manifest for Slack',
  params,
  query: z.object({ connection: z.enum(['http', 'socket']).optional() }),
  returns: z.record(z.string(), z.unknown()),
  problems: ['not-found'],
  async answer(ctx, { params: { id }, query }) {
    const workspace = await getWorkspace(ctx.db, id)
    if (workspace.platform !== 'slack') throw problem('not-found', 'Only Slack has an app manifest.')
    const connection = query.connection ?? connectionFor(ctx, openWorkspace(ctx, workspace))
    return slackAppManifest({ name: 'Bellhop', connection, eventsUrl: eventsUrlOf(ctx, workspace) })
  },
})

function render(ctx: Context, row: WorkspaceRow): Workspace {
  const fields = row.platform === 'built-in' ? null : connectionFields[row.platform]
  const opened = openWorkspace(ctx, row)
  const { credentials, isWhole } = opened
  return {
    id: row.id,
    platform: row.platform,
    name: row.name,
    beta: fields?.beta ?? false,
    status: statusOf(row, isWhole),
    settings: row.settings,
    credentials: Object.fromEntries(
      (fields?.secrets ?? []).map((name) => [name, { set: name in credentials }]),
    ),
    connection: fields ? connectionFor(ctx, opened) : null,
    missingScopes: row.platform === 'slack' && isWhole ? findMissingScopes(row.settings.scopes) : [],
    eventsUrl: fields ? eventsUrlOf(ctx, row) : null,
    lastEventAt: row.lastEventAt?.toISOString() ?? null,
    lastPostAt: row.lastPostAt?.toISOString() ?? null,
    lastError: row.lastError,
    lastErrorAt: row.lastErrorAt?.toISOString() ?? null,
    pausedUntil: row.pausedUntil?.toISOString() ?? null,
    openSince: row.openSince?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  }
}

/** A draft of Slack that nobody has chosen for yet: where only this machine can reach us, Slack could not call. */
function connectionFor(
  { publicUrl }: Context,
  { platform, isWhole, ...opened }: ReturnType<typeof openWorkspace<WorkspaceRow>>,
): 'http' | 'socket' {
  if (platform === 'built-in') throw new Error('The built-in workspace has no connection.')
  const isOpen = platform === 'slack' && !isWhole && !('connection' in opened.settings)
  return isOpen && isLocalAddress(publicUrl) ? 'socket' : connectionOf(platform, opened)
}

function statusOf({ revokedAt, pausedUntil }: WorkspaceRow, isWhole: boolean): Workspace['status'] {
  if (revokedAt) return 'revoked'
  if (!isWhole) return 'draft'
  return pausedUntil ? 'paused' : 'connected'
}

/** Whether only this machine can reach the address. */
function isLocalAddress(url: string): boolean {
  return /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|\/|$)/.test(url)
}
