import { Alert, Anchor, Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { Card } from '../../ui/layout/card.tsx'
import { plural } from '../../ui/text/plural.ts'
import { RehearsalSummary } from './rehearsal-summary.tsx'
import type { Rehearsing } from './use-rehearse.ts'

/** Above Save: what the rehearsal of the unsaved change has found so far. */
export function UnsavedRehearsal({ of }: { of: Rehearsing }) {
  const { rehearsal, isCurrent, newWrites, isAccepted, accept, close } = of
  if (!rehearsal) return null
  return (
    <Card label="Rehearsal" edge={newWrites > 0 ? 'bad' : 'idle'}>
      <QueryView query={rehearsal} rows={2}>
        {(value) => (
          <Stack gap={12}>
            <RehearsalSummary rehearsal={value} />
            {!isCurrent && (
              <Text size="sm" c="dimmed">
                You have changed the settings since, so this says nothing about what you would save now.
              </Text>
            )}
            {newWrites > 0 && (
              <Alert
                color="red"
                variant="outline"
                title={`${plural(newWrites, 'event')} would ask for a new write`}
              >
                <Checkbox
                  label="Save with these new writes"
                  checked={isAccepted}
                  onChange={(event) => accept(event.currentTarget.checked)}
                />
              </Alert>
            )}
            <Group gap={16}>
              <Anchor component={Link} to={`/rehearsals/${value.id}`} size="sm">
                Compare event by event
              </Anchor>
              <Anchor component={Link} to="/rehearsals" size="sm">
                All rehearsals
              </Anchor>
              <Button size="compact-sm" variant="subtle" onClick={close}>
                Close
              </Button>
            </Group>
          </Stack>
        )}
      </QueryView>
    </Card>
  )
}
