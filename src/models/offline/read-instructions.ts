import type { Field } from '../../platform/json/list-fields.ts'
import { type FindField, indexFields, wordsOf } from './index-fields.ts'

/** What a prompt plainly asks for, as far as keywords tell. */
export type Instructions = {
  /** The whole reply, word for word. */
  exactly: string | null
  beginWith: string | null
  endWith: string | null
  /** The fields it mentions, in its order. */
  fields: Field[]
  /** The most lines; 1 is a single sentence. */
  lines: number | null
  form: 'list' | 'table' | 'json'
}

const numbers = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const quoted = `["“'«]([^"”'»]+)["”'»]`

export function readInstructions(prompt: string, fields: readonly Field[]): Instructions {
  const findField = indexFields(fields)
  const fill = (text: string | undefined) => (text === undefined ? null : fillPlaceholders(text, findField))
  return {
    exactly: fill(
      prompt.match(
        new RegExp(`\\b(?:exactly|only|just|nothing but)[\\s:]+(?:with |the words? )?${quoted}`, 'i'),
      )?.[1] ??
        prompt.match(
          new RegExp(`\\b(?:reply|answer|respond|say|write|post)(?: with)?[\\s:]+${quoted}`, 'i'),
        )?.[1],
    ),
    beginWith: fill(
      prompt.match(new RegExp(`\\b(?:start|begin|prefix)[^."”]{0,30}?\\bwith[\\s:]+${quoted}`, 'i'))?.[1],
    ),
    endWith: fill(
      prompt.match(new RegExp(`\\b(?:end|finish|close)[^."”]{0,30}?\\bwith[\\s:]+${quoted}`, 'i'))?.[1],
    ),
    fields: mentionedFields(prompt, fields),
    lines: readLines(prompt),
    form: readForm(prompt),
  }
}

/** `{order.id}` and `{{ order.id }}` stand for a field of the event. Unknown ones stay as written. */
function fillPlaceholders(text: string, findField: FindField): string {
  return text.replaceAll(
    /\{\{?\s*([\w.\-/ ]+?)\s*\}?\}/g,
    (all, name: string) => findField(name)?.value ?? all,
  )
}

function readLines(prompt: string): number | null {
  if (/\b(?:one|a single|1)[ -](?:short )?(?:sentence|line)\b/i.test(prompt)) return 1
  const found = prompt.match(
    /\b(\d+|[a-z]+) (?:short )?(?:bullet(?: ?point)?s?|points|lines|sentences|items)\b/i,
  )?.[1]
  if (found === undefined) return null
  const count = /^\d+$/.test(found) ? Number(found) : numbers.indexOf(found.toLowerCase())
  return count > 0 ? count : null
}

function readForm(prompt: string): Instructions['form'] {
  if (/\btable\b/i.test(prompt)) return 'table'
  return /\bas (?:raw |plain )?json\b/i.test(prompt) ? 'json' : 'list'
}

/** A field is meant if the prompt contains its name, or its name with the one above it. */
function mentionedFields(prompt: string, fields: readonly Field[]): Field[] {
  const promptText = ` ${wordsOf(prompt).join(' ')} `
  return fields
    .map((field) => ({ field, at: placeOf(field, promptText) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ field }) => field)
}

function placeOf({ path }: Field, promptText: string): number {
  const own = ` ${wordsOf(path.at(-1) ?? '').join(' ')} `
  const withParent = ` ${wordsOf(path.slice(-2).join(' ')).join(' ')} `
  return own.trim() === '' ? -1 : Math.max(promptText.indexOf(withParent), promptText.indexOf(own))
}
