import type { Db } from '../platform/db/database.ts'
import { type ChangedKind, publishChange } from '../shared/changes.ts'

const kinds: Readonly<Record<string, ChangedKind>> = {
  webhooks: 'webhooks',
  connectors: 'connectors',
  tools: 'connectors',
  workspaces: 'workspaces',
  settings: 'settings',
  users: 'users',
  me: 'users',
  // Whoever accepts one joins, or ends their sessions with a new password.
  links: 'users',
  'api-keys': 'api-keys',
  session: 'sessions',
  sessions: 'sessions',
}

/**
 * Announces a change that an API request made to everyone who looks at the same thing. Kinds that are not listed
 * announce their changes themselves.
 */
export async function publishApiChange(db: Db, path: string, id: string | undefined): Promise<void> {
  const kind = kinds[path.split('/')[3] ?? '']
  if (kind) await publishChange(db, kind, id ?? null)
}
