import { Alert, Stack, Text } from '@mantine/core'
import type { Settings } from '../../../contract.ts'
import { notify } from '../../../ui/feedback/notify.ts'
import { QueryView } from '../../../ui/feedback/query-view.tsx'
import { useSettings } from '../use-settings.ts'
import { ModelForm } from './model-form.tsx'

export function ModelSettings() {
  const settings = useSettings()
  return (
    <QueryView query={settings}>
      {(value) => (
        <Stack maw={720}>
          <Source model={value.model} />
          <ModelForm settings={value} onSaved={() => notify('Settings saved')} />
        </Stack>
      )}
    </QueryView>
  )
}

function Source({ model }: { model: Settings['model'] }) {
  if (model.source === 'settings') {
    return (
      <Text c="dimmed">
        In use: <b>{model.label}</b>
      </Text>
    )
  }
  return (
    <Alert variant="default" title={`In use: ${model.label}`}>
      {model.source === 'environment'
        ? 'Configured by environment variables (MODEL_PROVIDER and others). A model you save here takes precedence.'
        : 'No language model is configured. The built-in agent reads events, calls read tools whose inputs it finds in the event, and writes a digest.'}
    </Alert>
  )
}
