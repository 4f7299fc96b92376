import type { Connector } from '../../contract.ts'
import { useHasRole } from '../accounts/use-me.ts'
import { isForAdmins } from './tools/form/tool-rights.ts'

/** If an admin has trusted one of its tools more than usual, only an admin may change the address: the field says so. */
export function useFixedAddress(connector: Connector | undefined): { disabled?: true; description?: string } {
  const admin = useHasRole('admin')
  const trusted =
    connector?.type === 'mcp'
      ? connector.tools.some((tool) => tool.capability === 'read' || isForAdmins(tool))
      : (connector?.tools.some(isForAdmins) ?? false)
  if (admin || !trusted) return {}
  return {
    disabled: true,
    description: 'Only admins can change this, because a tool here runs with fewer checks than the default.',
  }
}
