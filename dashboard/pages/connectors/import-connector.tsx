import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { ImportPreview } from '../../contract.ts'
import { BackTo } from '../../ui/back-to.tsx'
import { Page } from '../../ui/page.tsx'
import { ImportPick } from './import-pick.tsx'
import { ImportSource } from './import-source.tsx'

/** From a document or a curl line to a connector with tools: read, pick, save. */
export default function ImportConnector() {
  const [preview, setPreview] = useState<ImportPreview | null>(null)
  return (
    <Page title="Import a connector" back={<BackTo to="/connectors" what="connectors" />}>
      {preview === null ? (
        <Stack>
          <Text c="dimmed" maw={720}>
            Each operation of the API becomes a tool. You pick which ones the agent gets, and what each may
            do. Nothing is saved before that.
          </Text>
          <ImportSource onRead={setPreview} />
        </Stack>
      ) : (
        <ImportPick preview={preview} onBack={() => setPreview(null)} />
      )}
    </Page>
  )
}
