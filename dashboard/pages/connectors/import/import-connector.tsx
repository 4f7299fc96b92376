import { Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ImportPreview } from '../../../contract.ts'
import { useFilter } from '../../../hooks/use-filter.ts'
import { useDraftText } from '../../../ui/forms/use-draft-text.ts'
import { BackTo } from '../../../ui/layout/back-to.tsx'
import { Page } from '../../../ui/layout/page.tsx'
import { ImportPick } from './import-pick.tsx'
import { ImportSource } from './import-source.tsx'

const lastPreview = ['import-preview']

/** Turns a document or a curl line into a connector with tools: read, pick, save. */
export default function ImportConnector() {
  // A curl line may contain credentials, which must not be kept in the tab's storage.
  const [curl, setCurl] = useState('')
  const [openapi, setOpenapi] = useDraftText('import:openapi')
  const [url, setUrl] = useDraftText('import:url')
  // It may be large and contain credentials: kept in memory, so that it is still there after another page was looked at.
  const queries = useQueryClient()
  const [preview, setPreview] = useState(() => queries.getQueryData<ImportPreview>(lastPreview) ?? null)
  const [step, setStep] = useFilter('step', 'push')
  const [from] = useFilter('from')
  const navigate = useNavigate()
  return (
    <Page title="Import connector" back={<BackTo to="/connectors" what="connectors" />}>
      {preview === null || step !== 'pick' ? (
        <Stack>
          <Text c="dimmed" maw={720}>
            Each API operation becomes a tool. In the preview, you choose which tools the agent gets and what
            each may do. Nothing is saved before that.
          </Text>
          <ImportSource
            texts={{ openapi, url, curl }}
            onType={{ openapi: setOpenapi, url: setUrl, curl: setCurl }}
            onRead={(read) => {
              setPreview(read)
              queries.setQueryDefaults(lastPreview, { gcTime: Number.POSITIVE_INFINITY })
              queries.setQueryData(lastPreview, read)
              setStep('pick')
            }}
          />
        </Stack>
      ) : (
        <ImportPick
          preview={preview}
          // Another document has another order and search.
          onBack={() => void navigate({ to: '.', search: { from } })}
          onImported={() => {
            setOpenapi('')
            setUrl('')
            queries.removeQueries({ queryKey: lastPreview })
          }}
        />
      )}
    </Page>
  )
}
