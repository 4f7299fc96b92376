import Form from '@rjsf/mantine'
import type { RJSFSchema, ValidatorType } from '@rjsf/utils'

type Props = { schema: unknown; value: unknown; onChange: (value: unknown) => void }

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

/** A form made from a JSON Schema. */
export default function SchemaForm({ schema, value, onChange }: Props) {
  return (
    <Form
      schema={schema as RJSFSchema} // whatever JSON Schema the tool has; a form that cannot show it is fenced off
      formData={value}
      onChange={({ formData }) => onChange(formData)}
      validator={noValidator}
      tagName="div"
      uiSchema={{ 'ui:submitButtonOptions': { norender: true } }}
      showErrorList={false}
      noHtml5Validate
      liveValidate={false}
    />
  )
}
