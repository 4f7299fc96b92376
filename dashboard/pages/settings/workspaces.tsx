import { Empty } from '../../ui/empty.tsx'

export function Workspaces() {
  return (
    <Empty purpose="The built-in workspace is always here. Other chat systems can be connected beside it." />
  )
}
