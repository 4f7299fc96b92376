import { Button, Stack, Text } from '@mantine/core'
import { fieldWords } from '../../../src/shared/wording/field-words.ts'
import { call } from '../../api.ts'
import type { Revision } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useList } from '../../hooks/use-api.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { LineDiff } from '../../ui/code/line-diff.tsx'
import { RawView } from '../../ui/code/raw-view.tsx'
import { askToConfirm } from '../../ui/feedback/ask-to-confirm.ts'
import { Empty } from '../../ui/feedback/empty.tsx'
import { Collapsible } from '../../ui/layout/collapsible.tsx'
import { ListView } from '../../ui/table/list-view.tsx'
import { capitalize } from '../../ui/text/capitalize.ts'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { useChannelChoices } from '../channels/use-channels.ts'
import { useConnectorChoices } from '../connectors/use-connectors.ts'

type Props = {
  /** Of what was saved, such as `/webhooks/hook_…`. */
  path: string
  /** Whether this person may save it. */
  mayRestore: boolean
  /** Further paths that show it. */
  shownIn?: string[]
}

/** Every save, with what it changed and a way back. */
export function History({ path, mayRestore, shownIn = [] }: Props) {
  const list = `${path}/revisions`
  const revisions = useList<Revision>(list, { limit: '100' })
  const [linked] = useFilter('revision')
  const restore = useAction((n: number) => call('POST', `${list}/${n}/restore`), {
    words: 'Restored as a new revision',
    changes: [path, list, ...shownIn],
  })
  const textOf = useTexts()
  return (
    <ListView
      query={revisions}
      empty={
        <Empty
          purpose="No saves yet"
          example="Each save is listed here with who made it and what it changed, and can be restored."
        />
      }
    >
      {(items) => (
        <Stack gap={8}>
          {items.map((revision, at) => (
            <Collapsible
              key={revision.n}
              title={`Revision ${revision.n}`}
              summary={<Summary revision={revision} isNewest={at === 0} />}
              open={linked === String(revision.n)}
            >
              <Stack gap={12}>
                {revision.changes.map(({ field, before, after }) => (
                  <Stack key={field} gap={4}>
                    <Text size="sm" fw={500}>
                      {capitalize(fieldWords(field))}
                    </Text>
                    <LineDiff
                      label={`${capitalize(fieldWords(field))} before and after`}
                      before={textOf(before)}
                      after={textOf(after)}
                    />
                  </Stack>
                ))}
                {revision.changes.length === 0 && revision.changedSecrets.length === 0 && (
                  <Text size="sm" c="dimmed">
                    There is no earlier revision to compare with.
                  </Text>
                )}
                {revision.changedSecrets.length > 0 && (
                  <Text size="sm">
                    A secret was changed. Secrets are in no revision and are never restored.
                  </Text>
                )}
                <Collapsible title="Everything in this revision">
                  <RawView
                    what={`Revision ${revision.n}`}
                    text={JSON.stringify(revision.document, null, 2)}
                    json
                  />
                </Collapsible>
                {mayRestore && at > 0 && (
                  <Button
                    size="xs"
                    variant="default"
                    style={{ alignSelf: 'flex-start' }}
                    loading={restore.isPending && restore.variables === revision.n}
                    onClick={() =>
                      askToConfirm({
                        title: `Restore revision ${revision.n}?`,
                        text: <WhatChangesBack now={items[0]} target={revision} />,
                        action: `Restore revision ${revision.n}`,
                        onConfirm: () => restore.mutate(revision.n),
                      })
                    }
                  >
                    {`Restore revision ${revision.n}`}
                  </Button>
                )}
              </Stack>
            </Collapsible>
          ))}
        </Stack>
      )}
    </ListView>
  )
}

function Summary({ revision, isNewest }: { revision: Revision; isNewest: boolean }) {
  const { savedBy, savedAt, changes, changedSecrets, restoredFrom } = revision
  const what = [
    ...new Set(changes.map(({ field }) => capitalize(fieldWords(field)))),
    ...(changedSecrets.length > 0 ? ['Secret'] : []),
  ]
  const who = savedBy === null ? 'Before the first save' : savedBy.name
  return (
    <>
      {isNewest && <b>Current · </b>}
      {what.length > 0 && `${what.join(', ')} · `}
      {restoredFrom !== null && `restored revision ${restoredFrom} · `}
      {who}
      {savedBy !== null && (
        <>
          , <RelativeTime at={savedAt} />
        </>
      )}
    </>
  )
}

function WhatChangesBack({ now, target }: { now: Revision | undefined; target: Revision }) {
  const fields = Object.keys(target.document).filter(
    (field) => JSON.stringify(target.document[field]) !== JSON.stringify(now?.document[field]),
  )
  const what =
    fields.length === 0
      ? 'Nothing differs from the current revision.'
      : capitalize(fields.map(fieldWords).join(', '))
  return (
    <>
      {fields.length > 0 && 'Changes back: '}
      {what}
      {fields.length > 0 && '.'} Secrets stay as they are now. The restore is a new revision, so you can
      return from it.
    </>
  )
}

const ids = /\b(chan|con)_[0-9a-f-]{36}\b/g

/** A value as people read it: channels and connectors by their names. */
function useTexts(): (value: unknown) => string {
  const names = new Map(
    [...useChannelChoices(null).data, ...useConnectorChoices([]).data].map(({ value, label }) => [
      value,
      label,
    ]),
  )
  return (value) => {
    if (value === null) return 'not set'
    if (value === '') return 'empty'
    if (typeof value === 'boolean') return value ? 'yes' : 'no'
    const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
    return text.replaceAll(ids, (id) => names.get(id) ?? id)
  }
}
