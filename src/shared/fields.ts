import { z } from 'zod'

/** A whole number of `unit`s within bounds; the message names both. */
export function wholeNumber(min: number, max: number, unit?: string) {
  const words = `Use a whole number${unit ? ` of ${unit},` : ''} from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}.`
  return z.int(words).min(min, words).max(max, words)
}

/** Which connectors may be used; null leaves it open. */
export const connectorIdsShape = z
  .array(z.templateLiteral(['con_', z.string().max(60)]))
  .max(500)
  .nullable()

/** Text that PostgreSQL can store: its text cannot hold U+0000, and its JSON functions fail at half a surrogate pair. */
export function storableText(max: number) {
  return z
    .string()
    .max(max, `Use ${max.toLocaleString('en')} characters at most.`)
    .refine((value) => !value.includes('\0'), 'The character U+0000 is not allowed.')
    .overwrite((value) => value.toWellFormed())
}
