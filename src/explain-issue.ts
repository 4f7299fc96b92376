import type { z } from 'zod'

/**
 * Words for an issue that zod found, for the sender of the request. Schemas with their own messages do not get here.
 */
export function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'This field is needed.'
      return `This must be ${kinds[issue.expected] ?? issue.expected}.`
    case 'invalid_value':
      return `Use ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}.`
    case 'invalid_union':
      return 'This has none of the forms that are known here.'
    case 'invalid_format':
      return issue.format === 'template_literal' ? 'This is not an id of the kind that is meant.' : undefined
    case 'too_big':
      return issue.origin === 'string' ? `Use ${issue.maximum} characters at most.` : undefined
    case 'too_small':
      return issue.origin === 'string' && issue.minimum === 1 ? 'This must not be empty.' : undefined
    default:
      return undefined
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
  null: 'null',
}
