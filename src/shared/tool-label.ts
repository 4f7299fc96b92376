/**
 * A tool's name for people: `shop__get_order` → `Shop · get_order`. The part before the two underscores is derived
 * from the connector's name; the rest is the name that somebody gave the tool, and stays as it is.
 */
export function toolLabel(name: string): string {
  const [, connector, tool] = /^([a-z][a-z0-9_]*?)__(.+)$/.exec(name) ?? []
  if (connector === undefined || tool === undefined) return name
  return `${connector.slice(0, 1).toUpperCase()}${connector.slice(1).replaceAll('_', ' ')} · ${tool}`
}
