import type { Db } from '../../../platform/db/database.ts'
import type { WorkspaceId } from '../../../shared/ids.ts'
import type { ChatCommands } from '../../chat.ts'
import { findLinkedUser } from '../../identities/store.ts'
import type { ChatCommand } from '../../platforms/platform.ts'

export type CommandContext = {
  db: Db
  publicUrl: string
  commands: Pick<ChatCommands, 'describeWork'>
}

const help = [
  '`/bellhop ask <question>` asks the agent, in a thread of its own.',
  '`/bellhop status` shows what the agent is doing.',
  '`/bellhop approvals` lists what waits for a decision.',
  '`/bellhop link <code>` links this account to your user in Bellhop.',
].join('\n')

/** What a command answers, to the person who typed it and nobody else. */
export async function answerCommand(
  ctx: CommandContext,
  workspaceId: WorkspaceId,
  { name, senderId }: ChatCommand,
): Promise<string> {
  if (name === 'help') return help
  const actor = await findLinkedUser(ctx.db, workspaceId, senderId)
  const howTo = `Open ${ctx.publicUrl}/settings, get a code under "Chat accounts", and type \`/bellhop link <code>\`.`
  if (name === 'link')
    return actor
      ? `This account is linked to ${actor.name} (${actor.role}).`
      : `This account is not linked. ${howTo}`
  return actor
    ? await ctx.commands.describeWork(name, actor)
    : `I only tell this to people with a linked account. ${howTo}`
}
