import { Button, Group, List, Select, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { newConnectorShape } from '../../../../src/connectors/mcp/contract.ts'
import { call } from '../../../api.ts'
import type { HttpConnector, ImportPreview, NewTool } from '../../../contract.ts'
import { itemsOf } from '../../../hooks/use-api.ts'
import { useNavigateIfHere } from '../../../hooks/use-navigate-if-here.ts'
import { schemaErrors } from '../../../schema-errors.ts'
import { ErrorAlert } from '../../../ui/feedback/error-alert.tsx'
import { notify } from '../../../ui/feedback/notify.ts'
import { Unsaved } from '../../../ui/forms/unsaved.tsx'
import { useDraftForm } from '../../../ui/forms/use-draft-form.ts'
import { Collapsible } from '../../../ui/layout/collapsible.tsx'
import { plural } from '../../../ui/text/plural.ts'
import { useHasRole } from '../../accounts/use-me.ts'
import { authLabels, usesOauth } from '../auth/auth-labels.ts'
import { useConnectors } from '../use-connectors.ts'
import { useTestConnector } from '../use-test-outcome.ts'
import { Warnings } from '../warnings.tsx'
import { ImportFields } from './import-fields.tsx'
import { type ImportValues, toImportValues } from './import-values.ts'
import { PickTools } from './pick-tools.tsx'

type Props = { preview: ImportPreview; onBack: () => void; onImported: () => void }

export function ImportPick({ preview, onBack, onImported }: Props) {
  const admin = useHasRole('admin')
  const navigateIfHere = useNavigateIfHere()
  const queries = useQueryClient()
  const test = useTestConnector()
  const { connector, tools, skipped, warnings } = preview
  const form = useDraftForm<ImportValues>({
    // Another document or call has its own choice.
    key: `import:pick:${connector.baseUrl} ${tools.length} ${tools[0]?.name}`,
    initialValues: toImportValues(preview),
    withoutSecrets: (values) => ({ ...values, authValue: connector.authValue ?? '' }),
    validate: (values) => schemaErrors(newConnectorShape, toBody(values, preview, []), values),
  })
  const fitting = useConnectorsWithSameAddress(preview)
  const { picked, capabilities, descriptions, addTo } = form.values
  // Another API of the same host must not get this connector's credential by itself.
  const usual = fitting.find(({ baseUrl }) => isSameBase(baseUrl, connector.baseUrl))
  const target = fitting.find(({ id }) => id === (addTo ?? usual?.id))
  const taken = new Set(target?.tools.map(({ name }) => name))
  const wanted = tools
    .filter(({ name }) => picked.includes(name) && !taken.has(name))
    .map((tool) => ({
      ...tool,
      capability: capabilities[tool.name] ?? tool.capability,
      description: descriptions[tool.name]?.trim() || tool.description,
    }))
  const save = useMutation({
    mutationFn: async (values: ImportValues) => {
      if (target) {
        for (const tool of wanted) {
          const path = pathUnder(target.baseUrl, connector.baseUrl + tool.path)
          await call('POST', `/connectors/${target.id}/tools`, { ...tool, path })
        }
        return { id: target.id, words: `Added ${plural(wanted.length, 'tool')}` }
      }
      const created = await call<HttpConnector>('POST', '/connectors', toBody(values, preview, wanted))
      // As for one created by hand: a wrong secret shows before it is needed.
      await test(created.id).catch(() => undefined)
      return { id: created.id, words: `Created with ${plural(wanted.length, 'tool')}` }
    },
    // In words of before the save: meanwhile the list of connectors has what was just created.
    onSuccess: async ({ id, words }) => {
      form.discard()
      onImported()
      notify(words)
      await navigateIfHere(`/connectors/${id}`)
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['/connectors'] }),
    onError: form.showErrors,
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack>
        <Warnings warnings={warnings.slice(0, 20)} />
        {fitting.length > 0 && (
          <Select
            label="Add to"
            maw={480}
            allowDeselect={false}
            data={[
              ...fitting.map(({ id, name, baseUrl }) => ({
                value: id,
                label: `${name} (${isSameBase(baseUrl, connector.baseUrl) ? 'same base URL' : baseUrl})`,
              })),
              { value: 'new', label: 'New connector' },
            ]}
            value={target?.id ?? 'new'}
            onChange={(value) => form.setFieldValue('addTo', value)}
          />
        )}
        {target && <Warnings warnings={otherAuth(preview, target)} />}
        {connector.authValue && (
          <Text size="sm">
            {target
              ? `The pasted credential is dropped. These tools use the credential of ${target.name}.`
              : 'The pasted credential is stored encrypted with the new connector, and never shown again.'}
          </Text>
        )}
        {!target && <ImportFields form={form} authType={connector.authType} />}
        <Title order={2}>Tools</Title>
        {tools.some(({ name }) => taken.has(name)) && (
          <Text size="sm" c="dimmed">
            Already exist and stay unchanged:{' '}
            {tools
              .map(({ name }) => name)
              .filter((name) => taken.has(name))
              .join(', ')}
          </Text>
        )}
        {tools.length === 0 ? (
          <Text c="dimmed">No operations could be turned into tools.</Text>
        ) : (
          <PickTools
            form={form}
            tools={tools.filter(({ name }) => !taken.has(name))}
            onlyQueries={preview.onlyQueries}
            mayLoosen={admin}
          />
        )}
        {skipped.length > 0 && (
          <Collapsible title="Skipped" summary={plural(skipped.length, 'operation')}>
            <List size="sm">
              {skipped.map(({ operation, reason }) => (
                <List.Item key={operation}>
                  {operation}: {reason}
                </List.Item>
              ))}
            </List>
          </Collapsible>
        )}
        {save.error && <ErrorAlert error={save.error} of={target ? {} : form.values} />}
        <Group>
          <Button type="submit" loading={save.isPending} disabled={tools.length > 0 && wanted.length === 0}>
            {target ? `Add ${plural(wanted.length, 'tool')}` : `Create with ${plural(wanted.length, 'tool')}`}
          </Button>
          <Button variant="default" onClick={onBack}>
            Start over
          </Button>
          {form.isDirty() && <Unsaved form={form} />}
        </Group>
      </Stack>
    </form>
  )
}

function toBody({ name, baseUrl, authValue }: ImportValues, preview: ImportPreview, tools: NewTool[]) {
  const { authValue: _, ...rest } = preview.connector
  const hasAuth = usesOauth(rest.authType) ? {} : authValue === '' ? { authType: 'none' } : { authValue }
  return { ...rest, name, baseUrl, ...hasAuth, tools }
}

/** Credentials that were read do not change a connector that other tools use already. */
function otherAuth({ connector: { authType } }: ImportPreview, target: HttpConnector): string[] {
  if (authType === 'none' || authType === target.authType) return []
  const [read, kept] = [authLabels[authType].label, authLabels[target.authType].label]
  return [
    `The import uses “${read}”, but ${target.name} uses “${kept}”, which stays unchanged. Change it in the connector settings, or choose a new connector.`,
  ]
}

/** Connectors with the same address: another call of the same API belongs to the one that has its credentials already. */
function useConnectorsWithSameAddress({ connector, tools }: ImportPreview): HttpConnector[] {
  return itemsOf(useConnectors())
    .filter((one) => one.type === 'http')
    .filter(
      ({ baseUrl }) =>
        tools.length > 0 && tools.every(({ path }) => pathUnder(baseUrl, connector.baseUrl + path) !== null),
    )
}

function isSameBase(one: string, other: string): boolean {
  return one.replace(/\/+$/, '') === other.replace(/\/+$/, '')
}

/** The path of a URL below a base URL, or null if it is not below it. */
function pathUnder(baseUrl: string, url: string): string | null {
  const base = baseUrl.replace(/\/+$/, '')
  return url.startsWith(`${base}/`) ? url.slice(base.length) : null
}
