import { z } from 'zod'

export const questionShape = z.object({
  id: z.string(),
  runId: z.string(),
  channelId: z.string(),
  /** The connector whose server asks. */
  connectorName: z.string(),
  /** In the server's words. */
  message: z.string(),
  /** Of the form to fill in; null if the server wants a page to be visited. */
  schema: z.record(z.string(), z.unknown()).nullable(),
  url: z.string().nullable(),
  state: z.enum(['pending', 'accepted', 'declined', 'expired', 'ended']),
  expiresAt: z.string(),
})
export type QuestionShape = z.output<typeof questionShape>

export const answerInput = z.discriminatedUnion(
  'action',
  [
    z.strictObject({ action: z.literal('accept'), input: z.record(z.string(), z.unknown()).optional() }),
    z.strictObject({ action: z.literal('decline') }),
  ],
  { error: 'Use "accept" or "decline".' },
)
