import { propertiesOf } from './tool-values.ts'

export const inputTypes = {
  Text: { type: 'string' },
  Number: { type: 'number' },
  'Whole number': { type: 'integer' },
  'Yes or no': { type: 'boolean' },
  'List of texts': { type: 'array', items: { type: 'string' } },
} as const

export type InputType = keyof typeof inputTypes

type Input = { name: string; type?: InputType; description?: string; required?: boolean }

type Schema = Record<string, unknown> & { properties?: Record<string, unknown>; required?: string[] }

/** The schema with one more input; the rest of it stays as written. */
export function addProperty(
  schemaText: string,
  { name, type = 'Text', description, required }: Input,
): string {
  if (propertiesOf(schemaText).includes(name)) return schemaText
  const { properties, required: needed = [], ...rest } = JSON.parse(schemaText) as Schema // the form has checked that it is an object
  return JSON.stringify(
    {
      ...rest,
      properties: { ...properties, [name]: { ...inputTypes[type], ...(description ? { description } : {}) } },
      required: required ? [...needed, name] : needed,
    },
    null,
    2,
  )
}
