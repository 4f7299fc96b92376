import type { Facts } from '../app.ts'
import { openWorkspace } from '../chat/workspaces/open-platform.ts'
import { listWorkspaces, type WorkspaceRow } from '../chat/workspaces/store.ts'
import { chooseModel } from '../settings/choose-model.ts'
import { modelLabel } from '../shared/wording/model-label.ts'

/** What a person needs to know after `npm start`, and nothing else. */
export async function startUpBlock({ url, ctx, setupUrl }: Facts): Promise<string> {
  const { config } = ctx
  const { choice } = await chooseModel(ctx)
  const workspaces = await listWorkspaces(ctx.db, { limit: 20 })
  const rows: [string, string][] = [
    config.role === 'worker'
      ? ['Worker', `answers /healthz, /readyz and /metrics on port ${config.port}`]
      : ['Open', url],
    ['Data', config.databaseUrl ? 'external PostgreSQL' : `${config.dataDir} (embedded PostgreSQL)`],
    ['Model', modelLabel(choice.provider, choice.name)],
    [
      'Chat',
      workspaces.map((workspace) => describe(workspace, openWorkspace(ctx, workspace).isWhole)).join(', '),
    ],
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`)
  const invitation = setupUrl ? ['', '  Create the first admin (this link works once):', `  ${setupUrl}`] : []
  return ['', '  Bellhop is ready.', '', ...lines, ...invitation, '', '  Ctrl-C stops it.', '', ''].join('\n')
}

/** One that Bellhop cannot reach is not passed off as connected. */
function describe({ platform, name, revokedAt }: WorkspaceRow, isWhole: boolean): string {
  if (platform === 'built-in') return 'built-in workspace'
  const lack = revokedAt ? ' (access revoked)' : isWhole ? '' : ' (draft, not connected)'
  return `${platform} ${name}${lack}`
}
