import { Empty } from '../../ui/empty.tsx'
import type { McpConnector } from './connector-kinds.ts'

export function McpTools({ connector }: { connector: McpConnector }) {
  return <Empty purpose={`${connector.name} has published no tools yet.`} />
}
