import { z } from 'zod'

const promptShape = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string().nullable(),
  arguments: z.array(
    z.object({ name: z.string(), description: z.string().nullable(), required: z.boolean() }),
  ),
})
/** As one MCP server offers it. */
export type ServerPrompt = z.output<typeof promptShape>

export const offeredPromptShape = promptShape.extend({ connectorId: z.string(), connectorName: z.string() })
export type OfferedPrompt = z.output<typeof offeredPromptShape>

export const promptInput = z.strictObject({
  name: z.string().max(200),
  arguments: z.record(z.string(), z.string()).default({}),
})
