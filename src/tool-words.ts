/**
 * A tool as people say it: `shop__get_order` → `Shop · get_order`. What stands before the two underscores is the short form of its
 * connector's name; the rest is the name that somebody gave the tool, and stays.
 */
export function toolWords(name: string): string {
  const [, connector, tool] = /^([a-z][a-z0-9_]*?)__(.+)$/.exec(name) ?? []
  if (connector === undefined || tool === undefined) return name
  return `${connector.slice(0, 1).toUpperCase()}${connector.slice(1).replaceAll('_', ' ')} · ${tool}`
}
