import { Button, Stack, Text, Title } from '@mantine/core'
import { Shown } from '../../ui/shown.tsx'
import { ModelForm } from '../settings/model-form.tsx'
import { useSettings } from '../settings/use-settings.ts'

export function FirstModel({ onDone }: { onDone: () => void }) {
  const settings = useSettings()
  return (
    <Shown query={settings}>
      {(value) => (
        <Stack>
          <Title order={2}>Choose a model</Title>
          <Text>
            In use now: <b>{value.model.label}</b>.{' '}
            {value.model.provider === 'offline' &&
              'It needs no key and is enough to see everything work. It reads events, calls read tools and writes a digest.'}
          </Text>
          <div>
            <Button variant="default" onClick={onDone}>
              {value.model.provider === 'offline' ? 'Stay offline for now' : 'Keep it'}
            </Button>
          </div>
          <ModelForm settings={value} onSaved={onDone} />
        </Stack>
      )}
    </Shown>
  )
}
