/**
 * The map of docs/architecture.md: a slice, and the slices that it may import. A job closes what would be a cycle. A slice in the
 * folder of another one has an entry of its own, and the two may import each other only as the map says.
 */
export const slices: Readonly<Record<string, readonly string[]>> = {
  webhooks: ['events', 'revisions'],
  schedules: ['events', 'revisions'],
  'runs/rehearsals': ['events', 'models', 'approvals/policies', 'runs', 'settings'],
  runs: ['events', 'models', 'settings', 'tools', 'chat'],
  tools: ['connectors', 'approvals', 'approvals/policies', 'tools/receipts'],
  'tools/receipts': [],
  approvals: ['chat', 'approvals/policies'],
  'approvals/policies': ['revisions'],
  settings: ['models', 'revisions'],
  events: [],
  models: [],
  connectors: ['revisions'],
  revisions: [],
  chat: [],
  accounts: [],
  status: [],
}

/** The slice of a file, the inner one if it is in the folder of another; a file at the top of src is its own. */
export function sliceOf(path: string): string {
  const [, folder = path, inner] = path.split('/')
  return Object.hasOwn(slices, `${folder}/${inner}`) ? `${folder}/${inner}` : folder
}
