import { Code, Stack, Title } from '@mantine/core'
import { CopyButton } from '../../../ui/text/copy-button.tsx'
import classes from './source-gallery.module.css'
import type { Source } from './sources.ts'

type Props = {
  source: Source
  /** Null while it is masked. */
  fullUrl: string | null
}

/** What is done on the sender's own pages. */
export function SenderSteps({ source: { label, steps }, fullUrl }: Props) {
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
    </Stack>
  )
}
