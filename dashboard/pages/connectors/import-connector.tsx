import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ImportPreview } from '../../contract.ts'
import { BackTo } from '../../ui/back-to.tsx'
import { Page } from '../../ui/page.tsx'
import { useKeptText } from '../../ui/use-kept-text.ts'
import { useFilter } from '../../use-filter.ts'
import { ImportPick } from './import-pick.tsx'
import { ImportSource } from './import-source.tsx'

/** Turns a document or a curl line into a connector with tools: read, pick, save. */
export default function ImportConnector() {
  // A curl line may contain credentials, which must not be kept in the tab's storage.
  const [curl, setCurl] = useState('')
  const [openapi, setOpenapi] = useKeptText('import:openapi')
  const [url, setUrl] = useKeptText('import:url')
  const [preview, setPreview] = useState<ImportPreview | null>(null)
  const [step, setStep] = useFilter('step', 'push')
  return (
    <Page title="Import a connector" back={<BackTo to="/connectors" what="connectors" />}>
      {preview === null || step !== 'pick' ? (
        <Stack>
          <Text c="dimmed" maw={720}>
            Each operation of the API becomes a tool. You pick which ones the agent gets, and what each may
            do. Nothing is saved before that.
          </Text>
          <ImportSource
            texts={{ openapi, url, curl }}
            onType={{ openapi: setOpenapi, url: setUrl, curl: setCurl }}
            onRead={(read) => {
              setPreview(read)
              setStep('pick')
            }}
          />
        </Stack>
      ) : (
        <ImportPick
          preview={preview}
          onBack={() => setStep(null)}
          onImported={() => {
            setOpenapi('')
            setUrl('')
          }}
        />
      )}
    </Page>
  )
}
