const kinds = new Map([
  ['webhook', 'webhook '],
  ['schedule', 'schedule '],
  ['watch', 'the watched channel '],
  ['api-key', 'API key '],
  ['guest', 'guest '],
])

/** Shows what a name does not tell, before it: on a chat platform anybody may take an admin's name. */
export function nameRequester({ kind, name, role }: { kind: string; name: string; role?: string }): string {
  return `${kinds.get(kind) ?? (role ? `${role} ` : '')}${name}`
}
