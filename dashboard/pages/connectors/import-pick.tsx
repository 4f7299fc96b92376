import { Button, Group, List, Select, Stack, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call } from '../../api.ts'
import type { Capability, HttpConnector, ImportPreview } from '../../contract.ts'
import { Collapsible } from '../../ui/collapsible.tsx'
import { count } from '../../ui/count.ts'
import { Failed } from '../../ui/failed.tsx'
import { fieldErrors } from '../../ui/field-errors.ts'
import { focusFirst } from '../../ui/focus-first.ts'
import { notify } from '../../ui/notify.ts'
import { useMay } from '../accounts/use-me.ts'
import { ImportFields } from './import-fields.tsx'
import { pathUnder } from './path-under.ts'
import { PickTools } from './pick-tools.tsx'
import { useConnectorsWithSameAddress } from './use-connectors-with-same-address.ts'
import { useTestConnector } from './use-test-outcome.ts'
import { Warnings } from './warnings.tsx'

type Props = { preview: ImportPreview; onBack: () => void; onImported: () => void }

/** With more operations than this, none is picked at first: an agent works better with few tools. */
const maxPreselected = 25

export function ImportPick({ preview, onBack, onImported }: Props) {
  const admin = useMay('admin')
  const navigate = useNavigate()
  const queries = useQueryClient()
  const test = useTestConnector()
  const { connector, tools, skipped, warnings } = preview
  const [picked, setPicked] = useState<ReadonlySet<string>>(
    () => new Set(tools.length <= maxPreselected ? tools.map(({ name }) => name) : []),
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
  const fitting = useConnectorsWithSameAddress(preview)
  const [chosen, setChosen] = useState<string | null>(null)
  const target = fitting.find(({ id }) => id === (chosen ?? fitting[0]?.id))
  const taken = new Set(target?.tools.map(({ name }) => name))
  const wanted = tools
    .filter(({ name }) => picked.has(name) && !taken.has(name))
    .map((tool) => ({ ...tool, capability: capabilities[tool.name] ?? tool.capability }))
  const save = useMutation({
    mutationFn: async ({ authValue, ...values }: typeof form.values) => {
      if (target) {
        for (const tool of wanted) {
          const path = pathUnder(target.baseUrl, connector.baseUrl + tool.path)
          await call('POST', `/connectors/${target.id}/tools`, { ...tool, path })
        }
        return target.id
      }
      const { authValue: _, ...rest } = connector
      const created = await call<HttpConnector>('POST', '/connectors', {
        ...rest,
        ...values,
        ...(authValue === '' ? { authType: 'none' } : { authValue }),
        tools: wanted,
      })
      // As for one created by hand: a wrong secret shows before it is needed.
      await test(created.id).catch(() => undefined)
      return created.id
    },
    onSuccess: async (id) => {
      onImported()
      notify(
        target ? `Added ${count(wanted.length, 'tool')}.` : `Created with ${count(wanted.length, 'tool')}.`,
      )
      await navigate({ to: `/connectors/${id}` })
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['/connectors'] }),
    onError: (error) => form.setErrors(fieldErrors(error, form.values)),
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values), focusFirst(form))} noValidate>
      <Stack>
        <Warnings warnings={warnings.slice(0, 20)} />
        {fitting.length > 0 && (
          <Select
            label="Add to"
            maw={480}
            allowDeselect={false}
            data={[
              ...fitting.map(({ id, name }) => ({
                value: id,
                label: `${name}, which has this address already`,
              })),
              { value: 'new', label: 'A new connector' },
            ]}
            value={target?.id ?? 'new'}
            onChange={setChosen}
          />
        )}
        {!target && <ImportFields form={form} authType={connector.authType} />}
        <Title order={2}>Tools</Title>
        {tools.some(({ name }) => taken.has(name)) && (
          <Text size="sm" c="dimmed">
            Already there, and left as they are:{' '}
            {tools
              .map(({ name }) => name)
              .filter((name) => taken.has(name))
              .join(', ')}
          </Text>
        )}
        {tools.length === 0 ? (
          <Text c="dimmed">No operation could be read as a tool.</Text>
        ) : (
          <PickTools
            tools={tools.filter(({ name }) => !taken.has(name))}
            picked={new Set(wanted.map(({ name }) => name))}
            onPick={setPicked}
            capabilities={capabilities}
            onCapability={(name, capability) => setCapabilities((all) => ({ ...all, [name]: capability }))}
            mayLoosen={admin}
          />
        )}
        {skipped.length > 0 && (
          <Collapsible title="Left out" summary={count(skipped.length, 'operation')}>
            <List size="sm">
              {skipped.map(({ operation, reason }) => (
                <List.Item key={operation}>
                  {operation}: {reason}
                </List.Item>
              ))}
            </List>
          </Collapsible>
        )}
        {save.error && <Failed error={save.error} of={target ? {} : form.values} />}
        <Group>
          <Button type="submit" loading={save.isPending} disabled={target && wanted.length === 0}>
            {target ? `Add ${count(wanted.length, 'tool')}` : `Create with ${count(wanted.length, 'tool')}`}
          </Button>
          <Button variant="default" onClick={onBack}>
            Read something else
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
