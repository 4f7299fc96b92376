import { Anchor, Button, Group, SimpleGrid, Stack, Switch, Text, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { replayShape } from '../../../src/runs/contract.ts'
import { call } from '../../api.ts'
import type { LedgerEvent, Run } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { schemaErrors } from '../../schema-errors.ts'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { Unsaved } from '../../ui/forms/unsaved.tsx'
import { useDraftForm } from '../../ui/forms/use-draft-form.ts'
import { Collapsible } from '../../ui/layout/collapsible.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { ConnectorScope } from '../connectors/connector-scope.tsx'
import { useSchedule } from '../schedules/use-schedules.ts'
import { type ChosenModel, ModelChoice, modelNameProblem } from '../settings/model/model-choice.tsx'
import { useWebhook } from '../webhooks/use-webhooks.ts'
import { ReplayOutcome } from './replay-outcome.tsx'
import { ReplyDiff } from './reply-diff.tsx'

type Draft = {
  /** Null: as in the webhook. */
  prompt: string | null
  model: ChosenModel
  /** Null: those of the webhook. */
  connectorIds: string[] | null
  recorded: boolean
}

/** The same event with a draft prompt, model or tool set: nothing is posted or changed, and the results are shown side by side. */
export function ReplayLab({ event }: { event: LedgerEvent }) {
  const operator = useHasRole('operator')
  const webhook = useWebhook(operator ? event.webhookId : null)
  const schedule = useSchedule(operator ? event.scheduleId : null)
  const stored = webhook.data ?? schedule.data
  const settings = event.webhookId ? `/webhooks/${event.webhookId}` : `/schedules/${event.scheduleId}`
  const promptOf = (prompt: string | null) => prompt ?? stored?.prompt ?? ''
  const toBody = ({ prompt, model, connectorIds, recorded }: Draft) => ({
    dryRun: true,
    prompt: promptOf(prompt),
    reads: recorded ? 'recorded' : 'real',
    ...(model.provider ? { model: { ...model, name: model.name.trim() } } : {}),
    ...(connectorIds ? { connectorIds } : {}),
  })
  const form = useDraftForm<Draft>({
    key: `replay:${event.id}`,
    initialValues: {
      prompt: null,
      model: { provider: null, name: '' },
      connectorIds: null,
      recorded: false,
    },
    validate: (draft) => ({
      prompt: promptOf(draft.prompt).trim() === '' ? 'Tell the agent what to do with the event.' : null,
      'model.name': modelNameProblem(draft.model),
      ...schemaErrors(replayShape, toBody(draft), draft),
    }),
  })
  const attempt = useMutation({
    mutationFn: (draft: Draft) => call<Run>('POST', `/events/${event.id}/replay`, toBody(draft)),
    onError: form.showErrors,
  })
  // What was tried, and not what was typed since.
  const tried = attempt.variables ? promptOf(attempt.variables.prompt) : null
  const use = useAction((prompt: string) => call('PATCH', `/webhooks/${event.webhookId}`, { prompt }), {
    words: 'The webhook uses this prompt now',
    changes: [`/webhooks/${event.webhookId}`],
  })
  if (!operator) return null
  return (
    <Collapsible title="Replay lab" summary="Try another prompt on this event. Nothing is posted or changed.">
      <form onSubmit={form.onSubmit((draft) => attempt.mutate(draft))} noValidate>
        <Stack>
          <Textarea
            label="Draft prompt"
            description="The saved prompt does not change until you choose “Use this prompt”."
            autosize
            minRows={3}
            maxRows={12}
            {...form.getInputProps('prompt')}
            value={promptOf(form.values.prompt)}
          />
          <Group align="flex-start">
            <ModelChoice
              description="Leave empty to use the usual model."
              placeholder="Usual model"
              w={280}
              provider={form.values.model.provider}
              field={(name) => form.getInputProps(`model.${name}`)}
            />
            <ConnectorScope
              description="Connectors the draft may use."
              usual="The webhook's connectors"
              w={280}
              {...form.getInputProps('connectorIds')}
              value={form.values.connectorIds}
            />
          </Group>
          <Switch
            label="Use recorded tool results"
            description="Only your changes affect the outcome."
            {...form.getInputProps('recorded', { type: 'checkbox' })}
          />
          {attempt.error && <ErrorAlert error={attempt.error} of={form.values} />}
          <Group>
            <Button type="submit" variant="default" loading={attempt.isPending}>
              Try draft
            </Button>
            {attempt.data && webhook.data && tried !== null && tried !== webhook.data.prompt && (
              <Button variant="default" loading={use.isPending} onClick={() => use.mutate(tried)}>
                Use this prompt
              </Button>
            )}
            {form.restored && <Unsaved form={form} />}
          </Group>
          {stored && (
            <Text size="xs" c="dimmed">
              To try a prompt on many past events, change it{' '}
              <Anchor component={Link} to={settings} search={{ tab: 'settings' } as never} size="xs">
                in the settings
              </Anchor>{' '}
              and choose Rehearse before you save.
            </Text>
          )}
          {attempt.data && <ReplyDiff before={event.runId} after={attempt.data.id} />}
          {attempt.data && (
            <SimpleGrid cols={{ base: 1, md: 2 }}>
              <ReplayOutcome title="Original" runId={event.runId} />
              <ReplayOutcome title="Draft" runId={attempt.data.id} />
            </SimpleGrid>
          )}
        </Stack>
      </form>
    </Collapsible>
  )
}
