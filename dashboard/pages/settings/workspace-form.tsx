import { Button, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { workspacePatch } from '../../../src/chat/workspaces/contract.ts'
import { call } from '../../api.ts'
import type { ExternalPlatform, Workspace } from '../../contract.ts'
import { schemaErrors } from '../../schema-errors.ts'
import { FormFoot } from '../../ui/form-foot.tsx'
import { changedFields } from '../../ui/merge-server-values.ts'
import { notify } from '../../ui/notify.ts'
import { RawView } from '../../ui/raw-view.tsx'
import { SecretInput } from '../../ui/secret-input.tsx'
import { useDraftForm } from '../../ui/use-draft-form.ts'
import { useAction } from '../../use-action.ts'
import { type FieldName, fieldLabels, platformLabels } from './platform-labels.ts'

type Values = { name: string } & Partial<Record<FieldName, string>>
type Patch = Partial<Record<'name' | FieldName, string | null>>
type Props = { workspace: Workspace; platform: ExternalPlatform }

export function WorkspaceForm({ workspace, platform }: Props) {
  const queries = useQueryClient()
  const { secrets, settings, fields } = platformLabels[platform]
  const labelOf = (name: FieldName) => fields?.[name] ?? fieldLabels[name] ?? name
  const before = toValues(workspace, platform)
  const form = useDraftForm<Values>({
    key: `workspace:${workspace.id}`,
    initialValues: before,
    withoutSecrets: (values) => ({ ...values, ...Object.fromEntries(secrets.map((name) => [name, ''])) }),
    validate: (values) => schemaErrors(workspacePatch, toPatch(values, before, platform), values),
  })
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
  const manifest = useAction(() =>
    call<Record<string, unknown>>('GET', `/workspaces/${workspace.id}/manifest`),
  )
  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(toPatch(values, before, platform)))} noValidate>
      <Stack>
        {platform === 'slack' &&
          (manifest.data ? (
            <RawView what="App manifest" text={JSON.stringify(manifest.data, null, 2)} maxHeight={240} />
          ) : (
            <div>
              <Button
                size="xs"
                variant="default"
                loading={manifest.isPending}
                onClick={() => manifest.mutate()}
              >
                Show app manifest
              </Button>
            </div>
          ))}
        <TextInput label="Name" {...form.getInputProps('name')} />
        {secrets.map((name) => (
          <SecretInput
            key={name}
            label={labelOf(name)}
            isSet={workspace.credentials[name]?.set === true}
            {...form.getInputProps(name)}
          />
        ))}
        {settings.map((name) => (
          <TextInput key={name} label={labelOf(name)} {...form.getInputProps(name)} />
        ))}
        <FormFoot save="Save & connect" form={form} saving={save} />
      </Stack>
    </form>
  )
}

function toValues(workspace: Workspace, platform: ExternalPlatform): Values {
  const { secrets, settings } = platformLabels[platform]
  return {
    name: workspace.name,
    ...Object.fromEntries(secrets.map((name) => [name, ''])),
    ...Object.fromEntries(settings.map((name) => [name, workspace.settings[name] ?? ''])),
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
