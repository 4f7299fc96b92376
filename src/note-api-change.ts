import { type ChangedKind, noteChange } from './changes.ts'
import type { Db } from './platform/db/database.ts'

const kinds: Readonly<Record<string, ChangedKind>> = {
  webhooks: 'webhooks',
  connectors: 'connectors',
  tools: 'connectors',
  workspaces: 'workspaces',
  settings: 'settings',
  users: 'users',
  me: 'users',
  'api-keys': 'api-keys',
  session: 'sessions',
  sessions: 'sessions',
}

/** A change that was asked for by the API: those who look at the same thing hear of it. The rest says so itself. */
export async function noteApiChange(db: Db, path: string, id: string | undefined): Promise<void> {
  const kind = kinds[path.split('/')[3] ?? '']
  if (kind) await noteChange(db, kind, id ?? null)
}
