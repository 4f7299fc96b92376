import { agentMention } from '../chat.ts'
import type { Conversation } from './find-conversation.ts'

/**
 * Whether the agent is addressed: by mention, in a direct conversation, or in a thread it takes part in. In the built-in
 * workspace its own name counts too; elsewhere the platform resolves mentions, and a colleague may have that name.
 */
export function isAddressed({ message, channel, thread }: Conversation, agentName: string | null): boolean {
  if (message.authorKind !== 'user') return false
  if (channel.kind === 'direct') return true
  const names = [agentMention]
  if (agentName !== null && channel.platform === 'built-in') names.push(`@${agentName}`)
  return (
    mentionsOne(names, message.text) ||
    thread.some(({ authorKind, text }) => authorKind === 'agent' || mentionsOne(names, text))
  )
}

/** `@front desk`, `@front-desk`, `@front_desk` and `@frontdesk` all address `Front desk`; `@front-desk-2` does not. */
function mentionsOne(names: string[], text: string): boolean {
  const spelled = names.map((name) =>
    name
      .split(/[\s_-]+/)
      .map(RegExp.escape)
      .join('[\\s_-]?'),
  )
  return new RegExp(`(?<![\\p{L}\\p{N}_@])(?:${spelled.join('|')})(?![\\p{L}\\p{N}_-])`, 'iu').test(text)
}
