import { agentMention } from '../chat.ts'
import type { Conversation } from './find-conversation.ts'

/**
 * Whether the agent is addressed: by mention, in a direct conversation, or in a thread it takes part in. In the built-in
 * workspace its own name counts too; elsewhere the platform resolves mentions, and a colleague may have that name.
 */
export function isAddressed({ message, channel, thread }: Conversation, agentName: string | null): boolean {
  if (message.authorKind !== 'user' || message.deletedAt !== null) return false
  const names = namesOf(channel, agentName)
  return (
    mentionsAgent({ message, channel }, agentName) ||
    thread.some(({ authorKind, text }) => authorKind === 'agent' || mentionsOne(names, text))
  )
}

/** Whether the message itself calls the agent. Everything in a direct conversation does. */
export function mentionsAgent(
  { message, channel }: { message: Pick<Conversation['message'], 'text'>; channel: Conversation['channel'] },
  agentName: string | null,
): boolean {
  return channel.kind === 'direct' || mentionsOne(namesOf(channel, agentName), message.text)
}

/** Nothing but a mention, perhaps with what it quotes. On a platform we write every mention like this; elsewhere a name may follow. */
export function isBareMention(text: string): boolean {
  const own = text.replaceAll(/^\s*>.*$/gm, '')
  return own.includes(agentMention) && !/[\p{L}\p{N}]/u.test(own.replaceAll(agentMention, ''))
}

function namesOf({ platform }: Conversation['channel'], agentName: string | null): string[] {
  return agentName !== null && platform === 'built-in' ? [agentMention, `@${agentName}`] : [agentMention]
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
