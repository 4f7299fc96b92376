import type { z } from 'zod'

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
