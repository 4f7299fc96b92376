import { Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Webhook } from '../../../contract.ts'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import classes from './source-gallery.module.css'
import { sourceOf } from './source-of.ts'

type Props = {
  webhook: Webhook
  /** Null while it is masked. */
  fullUrl: string | null
}

/** What is done on the sender's own pages. */
export function SenderSteps({ webhook: { name, verification }, fullUrl }: Props) {
  const source = sourceOf({ name, preset: verification?.preset ?? null })
  if (!source) return null
  const { id, label, steps, preset } = source
  return (
    <Stack gap={8} component="section" aria-label={`Steps in ${label}`}>
      <Title order={2}>{label === 'A script' ? 'In your script' : `In ${label}`}</Title>
      <ol className={classes.steps}>
        {steps.map(({ text, copy }) => (
          <li key={text}>
            {text}{' '}
            {copy === '{url}' ? (
              <span className={classes.copy}>
                the URL above
                {fullUrl ? <CopyButton value={fullUrl} what={`URL for ${label}`} /> : ', in full'}
              </span>
            ) : (
              copy && (
                <span className={classes.copy}>
                  <Code>{copy}</Code>
                  <CopyButton value={copy} what={copy} />
                </span>
              )
            )}
          </li>
        ))}
      </ol>
      {preset && !verification && (
        <Group gap={12}>
          <Button
            component={Link}
            to="."
            search={{ tab: 'settings', source: id } as never}
            variant="default"
            size="xs"
          >
            Enter the secret
          </Button>
          <Text size="sm" c="var(--waiting)">
            Not verified yet: anyone with the URL can send events.
          </Text>
        </Group>
      )}
    </Stack>
  )
}
