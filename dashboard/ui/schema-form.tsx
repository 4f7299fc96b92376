import Form from '@rjsf/mantine'
import type { ErrorSchema, RJSFSchema, ValidatorType } from '@rjsf/utils'
import { useId, useMemo } from 'react'
import { packNumbers, unpackNumbers } from './exact-numbers.ts'
import { pointedErrors } from './field-errors.ts'
import { NumberField } from './number-field.tsx'

type Props = {
  schema: unknown
  value: unknown
  onChange: (value: unknown) => void
  /** The server's refusal, whose words belong to the inputs. */
  error?: unknown
  /** The name of the value in what was sent, with which the pointers of the refusal begin. */
  below?: string
}

/**
 * Checks nothing: a validator in the browser would compile code, which the content security policy forbids. The server
 * validates every input anyway. With `isValid` always false, a choice (`anyOf`) starts at its first option.
 */
const noValidator: ValidatorType = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({ errors: [] }),
  isValid: () => false,
  reset: () => undefined,
}

const fields = { NumberField }

/** A form made from a JSON Schema. Numbers come out as they were typed, whatever their length. */
export default function SchemaForm({ schema, value, onChange, error, below = '' }: Props) {
  const atInputs = useMemo(() => nestErrors(error, below), [error, below])
  return (
    <Form
      schema={schema as RJSFSchema} // whatever JSON Schema the tool has; a form that cannot show it is fenced off
      formData={packNumbers(value)}
      onChange={({ formData }) => onChange(unpackNumbers(formData))}
      fields={fields}
      validator={noValidator}
      // A page may show two, of the same schema: the label of each input must not lead to the other one.
      idPrefix={useId()}
      extraErrors={atInputs}
      tagName="div"
      uiSchema={{ 'ui:submitButtonOptions': { norender: true } }}
      showErrorList={false}
      noHtml5Validate
      liveValidate={false}
    />
  )
}

/** The words nested like the value that they are about, as the form wants them. */
function nestErrors(error: unknown, below: string): ErrorSchema {
  type Nested = { [name: string]: Nested } & { __errors?: string[] }
  // Without a prototype: an input may have any name.
  const empty = () => Object.create(null) as Nested
  const root = empty()
  for (const { parts, detail } of pointedErrors(error)) {
    if (parts[0] !== below) continue
    let at = root
    for (const part of parts.slice(1)) {
      at[part] ??= empty()
      at = at[part]
    }
    at.__errors = [detail]
  }
  return root as ErrorSchema // of whatever inputs the schema has
}
