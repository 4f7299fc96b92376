import { Alert, Group, List, Select, Stack, Textarea, TextInput } from '@mantine/core'
import type { FormErrors } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { newToolShape, toolPatchShape } from '../../../../../src/connectors/contract.ts'
import { call } from '../../../../api.ts'
import type { Method, Tool } from '../../../../contract.ts'
import { schemaErrors } from '../../../../schema-errors.ts'
import { CodeEditor } from '../../../../ui/code/code-editor.tsx'
import { hasErrorAt } from '../../../../ui/forms/field-errors.ts'
import { useDraftForm } from '../../../../ui/forms/use-draft-form.ts'
import { Collapsible } from '../../../../ui/layout/collapsible.tsx'
import { useHasRole } from '../../../accounts/use-me.ts'
import { RehearsedFoot } from '../../../rehearsals/rehearsed-foot.tsx'
import { useRehearse } from '../../../rehearsals/use-rehearse.ts'
import { AddInput } from './add-input.tsx'
import { InputPlaces } from './input-places.tsx'
import { MissingInputs } from './missing-inputs.tsx'
import { PathPreview } from './path-preview.tsx'
import { SchemaPreview } from './schema-preview.tsx'
import { isForAdmins, rightsProblems } from './tool-rights.ts'
import { ToolRightsFields } from './tool-rights-fields.tsx'
import {
  defaultCapability,
  newTool,
  objectProblem,
  type ToolValues,
  toToolBody,
  toToolValues,
} from './tool-values.ts'

type Props = {
  connectorId: string
  baseUrl: string
  tool?: Tool
  onSaved: (tool: Tool) => void
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

export function ToolForm({ connectorId, baseUrl, tool, onSaved }: Props) {
  const admin = useHasRole('admin')
  const before = tool ? toToolValues(tool) : null
  const locked = !admin && before !== null && isForAdmins(before)
  const form = useDraftForm<ToolValues>({
    key: tool ? `tool:${tool.id}` : `tool:new:${connectorId}`,
    initialValues: before ?? newTool,
    validate: (values) => {
      const unreadable = jsonProblems(values)
      return {
        ...(admin ? {} : rightsProblems(before, values)),
        ...(unreadable ??
          schemaErrors(tool ? toolPatchShape : newToolShape, toToolBody(values, before), values)),
      }
    },
  })
  const save = useMutation({
    mutationFn: (values: ToolValues) =>
      tool
        ? call<Tool>('PATCH', `/connectors/${connectorId}/tools/${tool.id}`, toToolBody(values, before))
        : call<Tool>('POST', `/connectors/${connectorId}/tools`, toToolBody(values, null)),
    onSuccess: (saved) => {
      if (tool) form.markSaved(toToolValues(saved))
      else form.discard(newTool)
      onSaved(saved)
    },
    onError: form.showErrors,
  })
  const { capability, method, description } = form.values
  const rehearsing = useRehearse(
    tool ? 'choose' : null,
    tool && description !== tool.description ? { tools: { [tool.modelName]: { description } } } : {},
  )
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        {locked && (
          <Alert variant="outline" title="Only admins can change this tool">
            It runs with fewer checks than the default, so only admins can change what it does.
          </Alert>
        )}
        {tool && tool.warnings.length > 0 && (
          <Alert color="yellow" variant="outline" title="Some models may not accept this tool">
            <List size="sm">
              {tool.warnings.map((warning) => (
                <List.Item key={`${warning.provider}${warning.pointer}${warning.detail}`}>
                  {warning.provider === 'all' ? '' : `${warning.provider}: `}
                  {warning.detail}
                </List.Item>
              ))}
            </List>
          </Alert>
        )}
        <TextInput label="Name" placeholder="get_order" withAsterisk {...form.getInputProps('name')} />
        <Textarea
          label="Description"
          description="Tells the agent what the tool does and when to use it."
          placeholder="Looks up one order by its number."
          withAsterisk
          autosize
          minRows={2}
          {...form.getInputProps('description')}
        />
        <Group align="flex-start" gap={8} wrap="nowrap">
          <Select
            label="Method"
            data={methods}
            w={120}
            allowDeselect={false}
            {...form.getInputProps('method')}
            onChange={(value) => {
              const next = value as Method // the select offers nothing else
              // A capability that somebody chose is kept.
              if (!tool && capability === defaultCapability(method))
                form.setFieldValue('capability', defaultCapability(next))
              form.setFieldValue('method', next)
            }}
          />
          <TextInput
            label="Path"
            placeholder="/orders/{id}"
            style={{ flex: 1 }}
            {...form.getInputProps('path')}
          />
        </Group>
        <PathPreview baseUrl={baseUrl} path={form.values.path} />
        <MissingInputs form={form} />
        <ToolRightsFields form={form} before={before} />
        <CodeEditor
          label="Input schema"
          description="JSON Schema. The agent gets it unchanged, and every call is validated against it."
          value={form.values.inputSchema}
          onChange={(value) => form.setFieldValue('inputSchema', value)}
          error={form.errors.inputSchema}
          minHeight={220}
        />
        <AddInput form={form} />
        <InputPlaces form={form} />
        <Collapsible title="Preview" summary="The schema as a form">
          <SchemaPreview text={form.values.inputSchema} />
        </Collapsible>
        <Collapsible
          title="Output schema"
          faulty={hasErrorAt(form.errors, 'outputSchema')}
          summary={form.values.outputSchema.trim() === '' ? 'None' : 'Shown to the agent'}
        >
          <CodeEditor
            label="Output schema"
            description="Optional. A response that does not match causes a warning, never an error."
            value={form.values.outputSchema}
            onChange={(value) => form.setFieldValue('outputSchema', value)}
            error={form.errors.outputSchema}
          />
        </Collapsible>
        {!locked && (
          <RehearsedFoot
            save={tool ? 'Save' : 'Create tool'}
            form={form}
            saving={save}
            rehearsing={rehearsing}
          />
        )}
      </Stack>
    </form>
  )
}

/** A text that is not JSON cannot be checked any further. Null if all are. */
function jsonProblems({ inputSchema, outputSchema }: ToolValues): FormErrors | null {
  const problems = {
    inputSchema: objectProblem(inputSchema),
    outputSchema: outputSchema.trim() === '' ? null : objectProblem(outputSchema),
  }
  return problems.inputSchema === null && problems.outputSchema === null ? null : problems
}
