import { Stack, Text, Title } from '@mantine/core'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { ModelForm } from '../settings/model/model-form.tsx'
import { useSettings } from '../settings/use-settings.ts'

export function FirstModel({ onDone }: { onDone: () => void }) {
  const settings = useSettings()
  return (
    <QueryView query={settings}>
      {(value) => (
        <Stack>
          <Title order={2}>Choose a model</Title>
          <Text c="dimmed">
            With a key from Anthropic, OpenAI or Google, or with your own model server, the agent understands
            and writes like a person. Without one, it still receives events, calls read tools and posts
            digests. To try writes, approvals and conversations, choose a model.
          </Text>
          <ModelForm settings={value} onSaved={onDone} step />
        </Stack>
      )}
    </QueryView>
  )
}
