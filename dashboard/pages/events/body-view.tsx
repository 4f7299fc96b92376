import { Button, Group, SegmentedControl, Stack } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { apiUrl } from '../../api.ts'
import { RawView } from '../../ui/code/raw-view.tsx'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { useEventBody } from './use-events.ts'

/** The body as received: as text, or byte by byte. */
export function BodyView({ eventId }: { eventId: string }) {
  const body = useEventBody(eventId)
  const [mode, setMode] = useState('text')
  return (
    <QueryView query={body} rows={6}>
      {(buffer) => (
        <Stack gap={8}>
          <Group gap={8}>
            <SegmentedControl
              size="xs"
              aria-label="Body format"
              value={mode}
              onChange={setMode}
              data={[
                { value: 'text', label: 'Text' },
                { value: 'bytes', label: 'Bytes' },
              ]}
            />
            <Button
              component="a"
              href={apiUrl(`/events/${eventId}/body`)}
              download={`${eventId}.json`}
              size="xs"
              variant="default"
              leftSection={<IconDownload size="0.875rem" aria-hidden />}
            >
              Download
            </Button>
          </Group>
          {mode === 'text' ? (
            <RawView what="Body" text={new TextDecoder().decode(buffer)} json />
          ) : (
            <RawView what="Bytes" text={hexDump(new Uint8Array(buffer))} columns />
          )}
        </Stack>
      )}
    </QueryView>
  )
}

const shownBytes = 16 * 1024

function hexDump(data: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < Math.min(data.length, shownBytes); at += 16) {
    const row = [...data.subarray(at, at + 16)]
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('')
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(47)}  ${text}`)
  }
  if (data.length > shownBytes)
    lines.push(`… ${data.length - shownBytes} more bytes. Download the body to see all of it.`)
  return lines.join('\n')
}
