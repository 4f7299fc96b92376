import { isRawNumber, parseExactJson } from '../../../platform/json/parse-exact-json.ts'
import { keepBeginning } from './keep-beginning.ts'

/** One value of a JSON document, with the way to it. */
export type Field = { path: string[]; value: string }

const fieldsAtMost = 500

/** The scalar values of a document, outer ones first, numbers as they are written. Of a very long one, those at its beginning. */
export function listFields(text: string): Field[] {
  const found: Field[] = []
  // Breadth first: what a person means by "id" is rather the outer one.
  const waiting: { path: string[]; value: unknown }[] = [
    { path: [], value: parseExactJson(keepBeginning(text)) },
  ]
  for (let at = 0; at < waiting.length && found.length < fieldsAtMost; at++) {
    const { path, value } = waiting[at] as (typeof waiting)[number] // at < waiting.length
    if (typeof value === 'object' && value !== null && !isRawNumber(value)) {
      for (const [key, inner] of Object.entries(value)) waiting.push({ path: [...path, key], value: inner })
    } else if (value !== null && value !== undefined && value !== '') {
      found.push({ path, value: typeof value === 'string' ? value : JSON.stringify(value) })
    }
  }
  return found
}

/** `orderId`, `order_id`, `Order-ID` and `order.id` are the same words. */
export function wordsOf(name: string): string[] {
  return (
    name
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** Finds the field that a name means: by its own key, else by its key with those it stands under. */
export type FindField = (name: string) => Field | undefined

/** The words of each field are found once, however many names are asked for. */
export function indexFields(fields: readonly Field[]): FindField {
  const byTail = [1, 2, 3].map((length) => {
    const index = new Map<string, Field>()
    for (const field of fields) {
      const words = wordsOf(field.path.slice(-length).join(' ')).join(' ')
      if (!index.has(words)) index.set(words, field)
    }
    return index
  })
  return (name) => {
    const wanted = wordsOf(name).join(' ')
    return byTail.map((index) => index.get(wanted)).find((field) => field !== undefined)
  }
}
