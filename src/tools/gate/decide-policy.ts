import { type Capability, capabilities, type Permission } from '../../connectors/contract.ts'
import { isSource, type Requester } from './requester.ts'

type PolicyQuestion = {
  capability: Capability
  permission: Permission
  requester: Requester
  /** The highest capability that the run's webhook or schedule may use; null if there is neither. */
  ceiling: Capability | null
  /** Another connector was read before the model wrote this call, and the webhook or channel says that such a call asks. */
  crosses: boolean
}

export type Decision =
  | { kind: 'run' }
  /** `reason`: why this call asks although its tool does not. */
  | { kind: 'ask-admin'; confirmInChannel: boolean; reason: string | null }
  | { kind: 'refuse'; reason: string }

/** Specification 2.4. Pure on purpose: this table is the safety case. */
export function decidePolicy({
  capability,
  permission,
  requester,
  ceiling,
  crosses,
}: PolicyQuestion): Decision {
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
      return crosses ? ask({ reason: crossing }) : { kind: 'run' }
    case 'approve':
      return ask({ reason: crosses ? crossing : null })
    case 'confirm':
      return isOnBehalfOfAdmin(requester, ceiling)
        ? ask({ confirmInChannel: true })
        : refuse('Only an admin may start a destructive tool.')
    case 'off':
      return refuse('This tool is switched off.')
    default:
      throw new Error(`Unhandled permission ${permission satisfies never}`)
  }
}

const crossing =
  'The agent has already read from another connector, and what it read could leave with this call. The webhook or its channel is set to ask before that.'

function ask({ confirmInChannel = false, reason = null as string | null } = {}): Decision {
  return { kind: 'ask-admin', confirmInChannel, reason }
}

/** An admin raised the ceiling for the webhook or schedule, not for people who write in its threads. */
function isOnBehalfOfAdmin(requester: Requester, ceiling: PolicyQuestion['ceiling']): boolean {
  if (isSource(requester)) return ceiling === 'destructive'
  return 'isAdmin' in requester && requester.isAdmin
}

function refuse(reason: string): Decision {
  return { kind: 'refuse', reason }
}
