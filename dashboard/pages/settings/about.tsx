import { Anchor, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { basePath } from '../../base-path.ts'
import type { About as AboutShape } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { BellIcon } from '../../ui/layout/bell-icon.tsx'
import { Facts } from '../../ui/layout/facts.tsx'
import { type Column, DataTable } from '../../ui/table/data-table.tsx'
import { formatBytes } from '../../ui/text/format-bytes.ts'
import { plural } from '../../ui/text/plural.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { useSettings } from './use-settings.ts'

type Described = { info: { version: string } }

export function About() {
  const operator = useHasRole('operator')
  return (
    <Stack maw={720}>
      <BellIcon size="2rem" />
      <Text maw={560}>
        Bellhop is an AI agent for your team's chat. It uses your APIs as tools, reacts to webhooks and
        replies in a channel. Nothing irreversible happens without an admin's approval.
      </Text>
      {operator ? <Installation /> : <Version />}
    </Stack>
  )
}

const reference = (
  <Anchor href={`${basePath}/api/docs`} target="_blank">
    API reference
  </Anchor>
)

/** Members see the version, and nothing about the installation. */
function Version() {
  const version = useQuery({
    queryKey: ['/api/openapi.json'],
    queryFn: async () =>
      ((await (await fetch(`${basePath}/api/openapi.json`)).json()) as Described).info.version, // OpenAPI requires it
  })
  return <Facts of={{ Version: version.data ?? '…', Address: location.origin, API: reference }} />
}

function Installation() {
  const settings = useSettings()
  const about = useOne<AboutShape>('/about', 10_000)
  return (
    <QueryView query={about}>
      {({ version, node, database, encryption, dataFolder, replicas }) => (
        <Stack gap="xl">
          <Facts
            of={{
              Version: version,
              Node: node,
              Database: `PostgreSQL ${database.version}, ${database.kind}; ${formatBytes(database.sizeBytes)}, ${database.migrations} migrations`,
              'Free space': dataFolder ? `${formatBytes(dataFolder.freeBytes)} in the data folder` : null,
              'Encryption key': keyText(encryption),
              Model: settings.data?.model.label,
              Address: location.origin,
              API: reference,
            }}
          />
          <Stack gap={8}>
            <Title order={2}>Replicas</Title>
            <Text c="dimmed" size="xs">
              Processes on this database that reported in the last 30 seconds.
            </Text>
            <DataTable label="Replicas" rows={replicas} columns={columns} />
          </Stack>
        </Stack>
      )}
    </QueryView>
  )
}

function keyText({ keyId, sealedByOtherKeys }: AboutShape['encryption']) {
  return (
    <>
      <code>{keyId}</code>
      {sealedByOtherKeys === 0
        ? ' encrypts all secrets'
        : `; ${plural(sealedByOtherKeys, 'secret is', 'secrets are')} still encrypted with an older key. Run “rotate-encryption-key”, and keep the old key until it is done.`}
    </>
  )
}

type Replica = AboutShape['replicas'][number]

const roleLabels = { all: 'Web and worker', web: 'Web', worker: 'Worker' }

const columns: Column<Replica>[] = [
  { name: 'Role', grow: true, cell: ({ role, self }) => roleLabels[role] + (self ? ' (this process)' : '') },
  { name: 'Version', cell: ({ version }) => version },
  { name: 'Started', narrow: 'hide', cell: ({ startedAt }) => <RelativeTime at={startedAt} /> },
  { name: 'Last seen', cell: ({ seenAt }) => <RelativeTime at={seenAt} /> },
]
