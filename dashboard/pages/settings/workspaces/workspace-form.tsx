import { Alert, Button, Code, Group, Input, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { workspacePatch } from '../../../../src/chat/workspaces/contract.ts'
import { call } from '../../../api.ts'
import type { ExternalPlatform, Workspace } from '../../../contract.ts'
import { useOne } from '../../../hooks/use-api.ts'
import { schemaErrors } from '../../../schema-errors.ts'
import { RawView } from '../../../ui/code/raw-view.tsx'
import { notify } from '../../../ui/feedback/notify.ts'
import { FormFoot } from '../../../ui/forms/form-foot.tsx'
import { changedFields } from '../../../ui/forms/merge-server-values.ts'
import { SecretInput } from '../../../ui/forms/secret-input.tsx'
import { useDraftForm } from '../../../ui/forms/use-draft-form.ts'
import { isLocalAddress } from '../../../ui/text/local-address.tsx'
import { type FieldName, fieldLabels, platformLabels } from './platform-labels.ts'
import { StepText } from './step-text.tsx'
import classes from './workspace-card.module.css'

type Values = { name: string } & Partial<Record<FieldName, string>>
type Patch = Partial<Record<'name' | FieldName, string | null>>
type Props = { workspace: Workspace; platform: ExternalPlatform }

export function WorkspaceForm({ workspace, platform }: Props) {
  const queries = useQueryClient()
  const { secrets, settings, fields, steps: allSteps, socketSteps } = platformLabels[platform]
  const labelOf = (name: FieldName) => fields?.[name] ?? fieldLabels[name] ?? name
  const before = toValues(workspace, platform)
  const form = useDraftForm<Values>({
    key: `workspace:${workspace.id}`,
    initialValues: before,
    withoutSecrets: (values) => ({ ...values, ...Object.fromEntries(secrets.map((name) => [name, ''])) }),
    validate: (values) => schemaErrors(workspacePatch, toPatch(values, before, platform), values),
  })
  const isSocket = form.values.connection === 'socket'
  const steps = (isSocket && socketSteps) || allSteps
  /** Each of Slack's connections has a secret of its own. */
  const isUsed = (name: FieldName) =>
    name !== 'connection' && name !== (isSocket ? 'signingSecret' : 'appToken')
  const save = useMutation({
    mutationFn: (patch: Patch) => call<Workspace>('PATCH', `/workspaces/${workspace.id}`, patch),
    onSuccess: (saved, patch) => {
      form.markSaved(toValues(saved, platform))
      notify(saved.status === 'connected' && !isOnlyName(patch) ? 'Workspace connected' : 'Workspace saved')
      void queries.invalidateQueries({ queryKey: ['/workspaces'] })
      void queries.invalidateQueries({ queryKey: ['/channels'] })
    },
    onError: form.showErrors,
  })
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(toPatch(values, before, platform)))} noValidate>
      <Stack>
        {platform === 'slack' && (
          <Input.Wrapper
            label="Connection"
            description={
              isSocket
                ? 'Bellhop opens a connection to Slack (Socket Mode). This works without a public address.'
                : 'Slack sends its events to the events URL, which it must be able to reach.'
            }
          >
            <SegmentedControl
              mt={4}
              aria-label="Connection"
              data={[
                { value: 'socket', label: 'Socket' },
                { value: 'http', label: 'HTTP' },
              ]}
              value={isSocket ? 'socket' : 'http'}
              onChange={(value) => form.setFieldValue('connection', value)}
            />
          </Input.Wrapper>
        )}
        {platform === 'slack' && !isSocket && isLocalAddress(workspace.eventsUrl ?? '') && (
          <Alert color="red" variant="outline" title="Slack cannot reach Bellhop">
            {workspace.eventsUrl} is an address of this computer. Set <Code>PUBLIC_URL</Code> to a public
            https address and restart the server
            {platform === 'slack' ? ', or choose Socket above, which needs no public address.' : '.'}
          </Alert>
        )}
        <ol className={classes.steps}>
          {steps.map((step) => (
            <li key={step}>
              <StepText text={step} values={{ ...form.values, eventsUrl: workspace.eventsUrl }} />
            </li>
          ))}
        </ol>
        {platform === 'slack' && <SlackApp workspace={workspace} isSocket={isSocket} />}
        <TextInput label="Name" {...form.getInputProps('name')} />
        {secrets.filter(isUsed).map((name) => (
          <SecretInput
            key={name}
            label={labelOf(name)}
            isSet={workspace.credentials[name]?.set === true}
            {...form.getInputProps(name)}
          />
        ))}
        {settings.filter(isUsed).map((name) => (
          <TextInput key={name} label={labelOf(name)} {...form.getInputProps(name)} />
        ))}
        <FormFoot save="Save & connect" form={form} saving={save} />
      </Stack>
    </form>
  )
}

/** Slack creates the app from the manifest, which names everything that Bellhop uses. */
function SlackApp({ workspace, isSocket }: { workspace: Workspace; isSocket: boolean }) {
  const [isShown, { toggle }] = useDisclosure()
  const manifest = useOne<Record<string, unknown>>(
    `/workspaces/${workspace.id}/manifest?connection=${isSocket ? 'socket' : 'http'}`,
  )
  const text = JSON.stringify(manifest.data ?? {})
  return (
    <Stack gap={8}>
      <Group gap={8}>
        <Button
          size="xs"
          component="a"
          href={`https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(text)}`}
          target="_blank"
          rel="noreferrer"
          disabled={!manifest.data}
        >
          Create the app in Slack
        </Button>
        <Button size="xs" variant="default" onClick={toggle} aria-expanded={isShown}>
          Show app manifest
        </Button>
      </Group>
      {manifest.error && (
        <Text size="sm" c="var(--bad)">
          {manifest.error.message}
        </Text>
      )}
      {isShown && manifest.data && (
        <RawView what="App manifest" text={JSON.stringify(manifest.data, null, 2)} maxHeight={240} />
      )}
    </Stack>
  )
}

function toValues(workspace: Workspace, platform: ExternalPlatform): Values {
  const { secrets, settings } = platformLabels[platform]
  return {
    name: workspace.name,
    ...Object.fromEntries(secrets.map((name) => [name, ''])),
    ...Object.fromEntries(settings.map((name) => [name, workspace.settings[name] ?? ''])),
    // Proposed for a draft.
    ...(settings.includes('connection') ? { connection: workspace.connection ?? 'http' } : {}),
  }
}

/**
 * What differs from `before`, since somebody else may have changed the rest meanwhile; an emptied setting is cleared. A secret was
 * meant for the settings that were shown. If nothing was typed, they are sent as they are, which connects again.
 */
function toPatch(values: Values, before: Values, platform: ExternalPlatform): Patch {
  const { secrets, settings } = platformLabels[platform]
  const typed = Object.keys(changedFields(values, before))
  const withAll = typed.length === 0 || secrets.some((name) => typed.includes(name))
  const patch: Patch = {}
  if (typed.includes('name')) patch.name = values.name.trim()
  for (const name of secrets) if (values[name]) patch[name] = values[name]
  for (const name of settings) {
    if (withAll || typed.includes(name)) patch[name] = values[name]?.trim() || null
  }
  return patch
}

/** A new name does not involve the platform. */
function isOnlyName(patch: Patch): boolean {
  return Object.keys(patch).every((name) => name === 'name')
}
