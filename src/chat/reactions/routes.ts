import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import { messageIdShape, messageShape } from '../contract.ts'
import { renderMessage } from '../messages/render-message.ts'
import { changeReaction, type ReactionContext } from './change-reaction.ts'

const define = endpoint<ReactionContext & { publicUrl: string }>()

const both = {
  // A short name, as `:tada:` in a message.
  params: z.object({ id: messageIdShape, name: z.string().max(40) }),
  returns: messageShape,
  problems: ['not-found', 'invalid-request', 'too-many-requests'],
} as const

export const putReaction = define({
  summary: 'React to a message with an emoji, by its short name; 👍 and 👎 to a reply of the agent rate it',
  ...both,
  answer: async (ctx, { params, actor }) =>
    renderMessage(ctx, await changeReaction(ctx, actor, params, true)),
})

export const dropReaction = define({
  summary: 'Take back your reaction to a message',
  ...both,
  answer: async (ctx, { params, actor }) =>
    renderMessage(ctx, await changeReaction(ctx, actor, params, false)),
})
