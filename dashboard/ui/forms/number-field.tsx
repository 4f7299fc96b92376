import type { FieldProps } from '@rjsf/utils'
import { packTyped, typedText } from '../text/exact-numbers.ts'

/** A number in a schema form, sent as typed: the library's own field converts it, and so rounds it. */
export function NumberField(props: FieldProps) {
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
