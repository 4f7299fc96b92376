import { type Capability, capabilities, type Permission } from '../connectors/contract.ts'
import type { Requester } from './requester.ts'

export type PolicyQuestion = {
  capability: Capability
  permission: Permission
  requester: Requester
  /** The highest capability a webhook may use; null where a person asks. */
  ceiling: Capability | null
}

export type Decision =
  | { kind: 'run' }
  | { kind: 'ask-admin'; confirmInChannel: boolean }
  | { kind: 'refuse'; reason: string }

/** Specification 2.4. Pure on purpose: this table is the safety case. */
export function decidePolicy({ capability, permission, requester, ceiling }: PolicyQuestion): Decision {
  if (ceiling && capabilities.indexOf(capability) > capabilities.indexOf(ceiling)) {
    return refuse(
      `This webhook may use tools up to ${ceiling}; this one is ${capability}. An admin can raise its ceiling.`,
    )
  }
  switch (permission) {
    case 'auto':
      return { kind: 'run' }
    case 'approve':
      return { kind: 'ask-admin', confirmInChannel: false }
    case 'confirm':
      return isOnBehalfOfAdmin(requester) || ceiling === 'destructive'
        ? { kind: 'ask-admin', confirmInChannel: true }
        : refuse('Only an admin may start a destructive tool.')
    case 'off':
      return refuse('This tool is switched off.')
    default:
      throw new Error(`Unhandled permission ${permission satisfies never}`)
  }
}

function isOnBehalfOfAdmin(requester: Requester): boolean {
  return 'isAdmin' in requester && requester.isAdmin
}

function refuse(reason: string): Decision {
  return { kind: 'refuse', reason }
}
