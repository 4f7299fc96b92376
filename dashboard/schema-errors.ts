import type { FormErrors } from '@mantine/form'
import type { z } from 'zod'
import { describeIssues, explainIssue } from '../src/shared/explain-issue.ts'
import { fieldErrors } from './ui/forms/field-errors.ts'

/**
 * What the server would say about this body, at the fields of a form with these values. What no field can show is left to the
 * server's answer.
 */
export function schemaErrors(schema: z.ZodType, body: unknown, values: object): FormErrors {
  const { error } = schema.safeParse(body, { error: explainIssue })
  return error ? fieldErrors({ errors: describeIssues(error.issues) }, values) : {}
}
