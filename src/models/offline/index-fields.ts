import type { Field } from '../../platform/json/list-fields.ts'

/** `orderId`, `order_id`, `Order-ID` and `order.id` are the same words. */
export function wordsOf(name: string): string[] {
  return (
    name
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
}

/** Finds the field that a name means: by its own key, else by its key and those above it. */
export type FindField = (name: string) => Field | undefined

/** The words of each field are computed once, however many names are looked up. */
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
