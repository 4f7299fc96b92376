import type { Connector } from '../../contract.ts'
import { useMay } from '../accounts/use-me.ts'
import { isForAdmins } from './tool-rights.ts'

/** Where an admin trusts a tool more than usual, nobody else leads it to another address: the field says so. */
export function useFixedAddress(connector: Connector | undefined): { disabled?: true; description?: string } {
  const admin = useMay('admin')
  const trusted =
    connector?.type === 'mcp'
      ? connector.tools.some((tool) => tool.capability === 'read' || isForAdmins(tool))
      : (connector?.tools.some(isForAdmins) ?? false)
  if (admin || !trusted) return {}
  return {
    disabled: true,
    description: 'Only an admin changes it: a tool here runs more freely than usual.',
  }
}
