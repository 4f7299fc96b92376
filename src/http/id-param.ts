import { z } from 'zod'
import { type Id, idPattern, type Thing } from '../shared/ids.ts'

/** An id of this thing, in a path or a query. */
export function idParam<T extends Thing>(thing: T) {
  return z
    .string()
    .regex(idPattern(thing), `There is no such ${thing}.`)
    .transform((id) => id as Id<T>) // the pattern proves it
}
