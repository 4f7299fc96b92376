import { Alert, Button, Group, List, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ImportPreview } from '../../../src/connectors/contract.ts'
import { call } from '../../api.ts'
import type { Capability, HttpConnector } from '../../contract.ts'
import { count } from '../../ui/count.ts'
import { Failed } from '../../ui/failed.tsx'
import { fieldErrors } from '../../ui/field-errors.ts'
import { Folded } from '../../ui/folded.tsx'
import { say } from '../../ui/say.ts'
import { useMay } from '../accounts/use-me.ts'
import { PickTools } from './pick-tools.tsx'

type Props = { preview: ImportPreview; onBack: () => void }

/** A document with many operations starts with none picked: an agent does better with few tools. */
const pickedAtOnce = 25

export function ImportPick({ preview, onBack }: Props) {
  const admin = useMay('admin')
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { connector, tools, skipped, warnings } = preview
  const [picked, setPicked] = useState<ReadonlySet<string>>(
    () => new Set(tools.length <= pickedAtOnce ? tools.map(({ name }) => name) : []),
  )
  const [capabilities, setCapabilities] = useState<Record<string, Capability>>(() =>
    Object.fromEntries(tools.map(({ name, capability }) => [name, capability])),
  )
  const form = useForm({
    initialValues: {
      name: connector.name,
      baseUrl: connector.baseUrl,
      authValue: connector.authValue ?? '',
    },
    validate: {
      name: (value) => (value.trim() === '' ? 'Give the connector a name.' : null),
      baseUrl: (value) => (/^https?:\/\/./.test(value.trim()) ? null : 'Write the root URL of the API.'),
    },
  })
  const save = useMutation({
    mutationFn: ({ authValue, ...values }: typeof form.values) => {
      const { authValue: _, ...rest } = connector
      return call<HttpConnector>('POST', '/connectors', {
        ...rest,
        ...values,
        ...(authValue === '' ? { authType: 'none' } : { authValue }),
        tools: tools
          .filter(({ name }) => picked.has(name))
          .map((tool) => ({ ...tool, capability: capabilities[tool.name] ?? tool.capability })),
      })
    },
    onSuccess: async (saved) => {
      say(`Created with ${count(saved.tools.length, 'tool')}.`)
      void queries.invalidateQueries({ queryKey: ['/connectors'] })
      await navigate({ to: `/connectors/${saved.id}` })
    },
    onError: (error) => form.setErrors(fieldErrors(error, (path) => path in form.values)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        {warnings.length > 0 && (
          <Alert color="yellow" variant="outline" title="Worth a look">
            <List size="sm">
              {warnings.slice(0, 20).map((warning) => (
                <List.Item key={warning}>{warning}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        <Group align="flex-start" gap="md">
          <TextInput label="Name" style={{ flex: '1 1 200px' }} {...form.getInputProps('name')} />
          <TextInput label="Base URL" style={{ flex: '2 1 320px' }} {...form.getInputProps('baseUrl')} />
        </Group>
        {connector.authType !== 'none' && (
          <PasswordInput
            label="Secret"
            description={`The API wants ${authWords[connector.authType]}. Leave it empty to add it later under Settings.`}
            autoComplete="off"
            maw={480}
            {...form.getInputProps('authValue')}
          />
        )}
        <Title order={2}>Tools</Title>
        {tools.length === 0 ? (
          <Text c="dimmed">No operation could be read as a tool.</Text>
        ) : (
          <PickTools
            tools={tools}
            picked={picked}
            onPick={setPicked}
            capabilities={capabilities}
            onCapability={(name, capability) => setCapabilities((all) => ({ ...all, [name]: capability }))}
            mayLoosen={admin}
          />
        )}
        {skipped.length > 0 && (
          <Folded title="Left out" summary={count(skipped.length, 'operation')}>
            <List size="sm">
              {skipped.map(({ operation, reason }) => (
                <List.Item key={operation}>
                  {operation}: {reason}
                </List.Item>
              ))}
            </List>
          </Folded>
        )}
        {save.error && <Failed error={save.error} />}
        <Group>
          <Button type="submit" loading={save.isPending}>
            {`Create with ${count(picked.size, 'tool')}`}
          </Button>
          <Button variant="default" onClick={onBack}>
            Read something else
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const authWords = {
  none: 'nothing',
  bearer: 'a bearer token',
  api_key: 'an API key in a header',
  basic: 'a user name and password, as username:password',
}
