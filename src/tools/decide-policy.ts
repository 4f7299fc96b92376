import { type Capability, capabilities, type Permission } from '../connectors/contract.ts'
import { isSource, type Requester } from './requester.ts'

type PolicyQuestion = {
  capability: Capability
  permission: Permission
  requester: Requester
  /** The highest capability that the run's webhook or schedule may use; null if there is neither. */
  ceiling: Capability | null
}

export type Decision =
  | { kind: 'run' }
  | { kind: 'ask-admin'; confirmInChannel: boolean }
  | { kind: 'refuse'; reason: string }

/** Specification 2.4. Pure on purpose: this table is the safety case. */
export function decidePolicy({ capability, permission, requester, ceiling }: PolicyQuestion): Decision {
  if (ceiling && capabilities.indexOf(capability) > capabilities.indexOf(ceiling)) {
    const who = isSource(requester)
      ? `This ${requester.kind}`
      : 'The webhook or schedule that this thread began with'
    return refuse(
      `${who} may use tools up to ${ceiling}; this one is ${capability}. An admin can raise its ceiling.`,
    )
  }
  switch (permission) {
    case 'auto':
      return { kind: 'run' }
    case 'approve':
      return { kind: 'ask-admin', confirmInChannel: false }
    case 'confirm':
      return isOnBehalfOfAdmin(requester, ceiling)
        ? { kind: 'ask-admin', confirmInChannel: true }
        : refuse('Only an admin may start a destructive tool.')
    case 'off':
      return refuse('This tool is switched off.')
    default:
      throw new Error(`Unhandled permission ${permission satisfies never}`)
  }
}

/** An admin raised the ceiling for the webhook or schedule, not for people who write in its threads. */
function isOnBehalfOfAdmin(requester: Requester, ceiling: PolicyQuestion['ceiling']): boolean {
  if (isSource(requester)) return ceiling === 'destructive'
  return 'isAdmin' in requester && requester.isAdmin
}

function refuse(reason: string): Decision {
  return { kind: 'refuse', reason }
}
