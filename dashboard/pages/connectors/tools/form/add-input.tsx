import { Button, Checkbox, Group, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { DraftForm } from '../../../../ui/forms/use-draft-form.ts'
import { addProperty, type InputType, inputTypes } from './add-property.ts'
import { objectProblem, propertiesOf, type ToolValues } from './tool-values.ts'

const nothing = { name: '', type: 'Text' as InputType, description: '', required: true }

/** Adds an input to the schema, for people who do not know JSON Schema by heart. */
export function AddInput({ form }: { form: DraftForm<ToolValues> }) {
  const [input, setInput] = useState(nothing)
  const schema = form.values.inputSchema
  const name = input.name.trim()
  const exists = propertiesOf(schema).includes(name)
  const ready = name !== '' && !exists && objectProblem(schema) === null
  const add = () => {
    if (!ready) return
    form.setFieldValue('inputSchema', addProperty(schema, { ...input, name }))
    setInput({ ...nothing, type: input.type })
  }
  return (
    <Group
      align="flex-end"
      gap={8}
      role="group"
      aria-label="Add input"
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        add()
      }}
    >
      <TextInput
        label="Add input"
        placeholder="status"
        w={110}
        value={input.name}
        error={exists && 'Already exists'}
        // Above, so that the row stays aligned.
        inputWrapperOrder={['label', 'error', 'input']}
        onChange={(event) => setInput({ ...input, name: event.currentTarget.value })}
      />
      <Select
        aria-label="Input type"
        w={130}
        data={Object.keys(inputTypes)}
        allowDeselect={false}
        value={input.type}
        // The select offers nothing else.
        onChange={(type) => setInput({ ...input, type: type as InputType })}
      />
      <TextInput
        aria-label="About this input"
        placeholder="About this input"
        style={{ flex: '1 1 7.5rem' }}
        value={input.description}
        onChange={(event) => setInput({ ...input, description: event.currentTarget.value })}
      />
      <Checkbox
        label="Required"
        mb={8}
        checked={input.required}
        onChange={(event) => setInput({ ...input, required: event.currentTarget.checked })}
      />
      <Button variant="default" disabled={!ready} onClick={add}>
        Add
      </Button>
    </Group>
  )
}
