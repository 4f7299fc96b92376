import type { z } from 'zod'
import { escapePointer } from '../platform/json/escape-pointer.ts'

/**
 * Words for an issue that zod found, for the sender of the request. Schemas with their own messages do not get here.
 */
export function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'This field is required.'
      return `This must be ${kinds[issue.expected] ?? issue.expected}.`
    case 'invalid_value':
      return `Use ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}.`
    case 'invalid_union':
      return 'This does not match any of the allowed forms.'
    case 'invalid_key':
      return 'This name is empty, too long or unknown.'
    case 'invalid_format':
      return issue.format === 'template_literal' ? 'This is not a valid id.' : undefined
    case 'too_big':
      if (issue.origin === 'string') return `Use ${issue.maximum} characters at most.`
      if (issue.origin === 'array') return `Give ${issue.maximum} at most.`
      return issue.inclusive === false ? `Use less than ${issue.maximum}.` : `Use ${issue.maximum} or less.`
    case 'too_small':
      if (issue.origin === 'string')
        return issue.minimum === 1 ? 'This must not be empty.' : `Use ${issue.minimum} characters or more.`
      if (issue.origin === 'array') return `Give ${issue.minimum} or more.`
      return issue.inclusive === false ? `Use more than ${issue.minimum}.` : `Use ${issue.minimum} or more.`
    default:
      return undefined
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
}

/** More would help nobody, and would let a small request cause a much larger answer. */
const maxErrors = 100

/** Each issue with a JSON pointer to what it is about. */
export function describeIssues(issues: readonly z.core.$ZodIssue[]): { pointer: string; detail: string }[] {
  return issues.slice(0, maxErrors).flatMap(describe).slice(0, maxErrors)
}

function describe(issue: z.core.$ZodIssue): { pointer: string; detail: string }[] {
  if (issue.code === 'unrecognized_keys') {
    const detail = 'Unknown field.'
    return issue.keys.slice(0, maxErrors).map((key) => ({ pointer: pointerTo([...issue.path, key]), detail }))
  }
  return [{ pointer: pointerTo(issue.path), detail: issue.message }]
}

function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${escapePointer(String(part))}`).join('')
}
