import Form from '@rjsf/mantine'
import type { ErrorSchema, FieldProps, RJSFSchema, ValidatorType } from '@rjsf/utils'
import { useId, useMemo } from 'react'
import { packNumbers, packTyped, typedText, unpackNumbers } from '../text/exact-numbers.ts'
import { pointedErrors } from './field-errors.ts'

type Props = {
  schema: unknown
  value: unknown
  onChange: (value: unknown) => void
  /** The server's refusal, whose errors belong to the inputs. */
  error?: unknown
  /** The name of this value in the request, which is a prefix of the refusal's pointers. */
  below?: string
}

/**
 * Validates nothing: a validator in the browser would compile code, which the content security policy forbids, and the server
 * validates every input anyway. With `isValid` always false, a choice (`anyOf`) starts at its first option.
 */
const noValidator: ValidatorType = {
  validateFormData: () => ({ errors: [], errorSchema: {} }),
  rawValidation: () => ({ errors: [] }),
  isValid: () => false,
  reset: () => undefined,
}

const fields = { NumberField }

/** A form generated from a JSON Schema. Numbers are returned as typed, however long. */
export default function SchemaForm({ schema, value, onChange, error, below = '' }: Props) {
  const atInputs = useMemo(() => nestErrors(error, below), [error, below])
  return (
    <Form
      schema={schema as RJSFSchema} // whatever JSON Schema the tool has; a form that cannot show it is fenced off
      formData={packNumbers(value)}
      onChange={({ formData }) => onChange(unpackNumbers(formData))}
      fields={fields}
      validator={noValidator}
      // A page may show two forms of the same schema: each label must point to its own input.
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

/** The errors nested like the value, as the form library expects. */
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

/** A number in a schema form, sent as typed: the library's own field converts it, and so rounds it. */
function NumberField(props: FieldProps) {
  const { registry, schema, uiSchema, formData, onChange } = props
  const { StringField } = registry.fields
  if (!StringField) throw new Error('The form has no field for texts.')
  if (registry.schemaUtils.isSelect(schema)) return <StringField {...props} />
  return (
    <StringField
      {...props}
      uiSchema={{ ...uiSchema, 'ui:inputType': 'text' }}
      formData={typedText(formData)}
      onChange={(typed, ...rest) =>
        onChange(typeof typed === 'string' ? packTyped(typed.trim()) : typed, ...rest)
      }
    />
  )
}
