import { z } from 'zod'
import { invisibleCharacters } from '../../platform/invisible-characters.ts'
import { idPattern } from '../../shared/ids.ts'

/** Of one message; further ones are named. */
export const mostFiles = 8
export const maxFileBytes = 8 * 1024 * 1024

export const fileIdShape = z
  .templateLiteral(['file_', z.string()])
  .refine((id) => idPattern('file').test(id), 'There is no such file.')

/** A name hides nothing and turns nothing around: `\u202egnp.exe` would look like a picture. */
export function plainFileName(name: string): string {
  return (
    name
      .replaceAll(invisibleCharacters, '')
      .replaceAll(/[\s\p{Cc}]+/gu, ' ')
      .trim() || 'file'
  )
}

export const fileShape = z.object({
  id: z.string(),
  name: z.string(),
  /** By its bytes; null if it was not read yet, or cannot be read. */
  mediaType: z.string().nullable(),
  sizeBytes: z.int().nullable(),
  /** Why the agent cannot read it. */
  problem: z.string().nullable(),
})
export type FileShape = z.output<typeof fileShape>
