import { z } from 'zod'

/** What the form for an edit starts with. */
export const editFormShape = z.object({
  input: z.unknown(),
  /** Of the tool, as JSON Schema. */
  inputSchema: z.unknown(),
  /** Of the request as it is now, for If-Match. */
  digest: z.string(),
})

export const editInput = z.strictObject({
  /** All of the input, as it is to be sent. */
  input: z.unknown(),
})
