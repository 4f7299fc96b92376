import { Button, Code, Group, Text } from '@mantine/core'
import type { DraftForm } from '../../../../ui/forms/use-draft-form.ts'
import { addProperty } from './add-property.ts'
import { objectProblem, placeholdersOf, propertiesOf, type ToolValues } from './tool-values.ts'

/** Placeholders in the path that are missing from the schema. */
export function MissingInputs({ form }: { form: DraftForm<ToolValues> }) {
  const { path, inputSchema } = form.values
  const known = propertiesOf(inputSchema)
  const missing = [...new Set(placeholdersOf(path))].filter((name) => !known.includes(name))
  if (missing.length === 0 || objectProblem(inputSchema) !== null) return null
  return (
    <Group gap={8} role="status">
      <Text size="xs" c="var(--waiting)">
        {missing.map((name) => (
          <Code key={name} mr={4}>{`{${name}}`}</Code>
        ))}
        {missing.length === 1 ? 'is not in the input schema.' : 'are not in the input schema.'}
      </Text>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => {
          form.setFieldValue(
            'inputSchema',
            missing.reduce((schema, name) => addProperty(schema, { name, required: true }), inputSchema),
          )
          form.clearFieldError('path')
        }}
      >
        Add to schema
      </Button>
    </Group>
  )
}
