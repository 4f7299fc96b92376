import {
  ActionIcon,
  Anchor,
  Button,
  Checkbox,
  Group,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconArrowUp, IconPlus, IconTrash } from '@tabler/icons-react'
import { ConditionBuilder } from '../../../ui/forms/conditions/condition-builder.tsx'
import type { ConditionField } from '../../../ui/forms/conditions/condition-terms.ts'
import { hasErrorAt } from '../../../ui/forms/field-errors.ts'
import type { DraftForm } from '../../../ui/forms/use-draft-form.ts'
import { Collapsible } from '../../../ui/layout/collapsible.tsx'
import { plural } from '../../../ui/text/plural.ts'
import { ChannelSelect } from '../../channels/channel-select.tsx'
import { newRule, type WebhookValues } from '../form/webhook-values.ts'
import type { Source } from '../sources/sources.ts'
import classes from './rule-fields.module.css'
import { RuleSuggestions } from './rule-suggestions.tsx'
import { RulesPreview } from './rules-preview.tsx'
import { useEventFields } from './sample-event.tsx'
import { ThreadFields } from './thread-fields.tsx'

const outcomes = [
  { value: 'skip', label: 'Skip it' },
  { value: 'notify', label: 'Post a text' },
  { value: 'run', label: 'Run the agent' },
]

type Props = { form: DraftForm<WebhookValues>; webhookId: string | null; source: Source | null }

export function RuleFields({ form, webhookId, source }: Props) {
  const fields = useEventFields({ webhookId, source })
  const { rules, threadKey, collects } = form.values
  return (
    <Collapsible
      title="Rules and threads"
      summary={summary(form.values)}
      faulty={hasErrorAt(form.errors, 'rules', 'threadKey', 'threadDays', 'collect')}
      open={rules.length > 0 || threadKey !== '' || collects}
    >
      <Stack>
        <Text size="sm" c="dimmed">
          The first rule whose condition is true decides about an event. If none is, the event starts a run.
          Conditions are written in{' '}
          <Anchor href="https://cel.dev" target="_blank" rel="noreferrer" size="sm">
            CEL
          </Anchor>{' '}
          and can use <code>event</code>, <code>headers</code> and <code>now</code>.
        </Text>
        {/* Above the rules: what is chosen there does not move the open menu. */}
        <RuleSuggestions form={form} />
        {rules.map((_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no name; its place is what it is known by
          <RuleRow key={at} form={form} at={at} fields={fields} />
        ))}
        <Button
          size="xs"
          variant="default"
          w="fit-content"
          leftSection={<IconPlus size="0.875rem" aria-hidden />}
          disabled={rules.length >= 50}
          onClick={() => form.insertListItem('rules', newRule)}
        >
          Add rule
        </Button>
        <ThreadFields form={form} />
        {webhookId && <RulesPreview webhookId={webhookId} values={form.values} />}
      </Stack>
    </Collapsible>
  )
}

function summary({ rules, threadKey, collects }: WebhookValues): string {
  const words = [
    rules.length === 0 ? 'Every event starts a run' : plural(rules.length, 'rule'),
    ...(threadKey.trim() === '' ? [] : [`one thread for each ${threadKey.trim()}`]),
    ...(collects ? ['events are collected'] : []),
  ]
  return words.join(', ')
}

type RowProps = { form: DraftForm<WebhookValues>; at: number; fields: ConditionField[] }

function RuleRow({ form, at, fields }: RowProps) {
  const number = at + 1
  const rule = form.values.rules[at] ?? newRule
  const field = (name: string) => form.getInputProps(`rules.${at}.${name}`)
  return (
    <fieldset className={classes.rule}>
      <legend className={classes.legend}>Rule {number}</legend>
      <div className={classes.row}>
        <Textarea
          label="When"
          placeholder="event.action in ['labeled', 'assigned']"
          autosize
          minRows={1}
          maxRows={8}
          spellCheck={false}
          classNames={{ input: classes.condition }}
          {...field('when')}
        />
        <Select label="Then" data={outcomes} allowDeselect={false} {...field('then')} />
        <Group gap={4} className={classes.actions}>
          <ActionIcon
            aria-label={`Move rule ${number} up`}
            disabled={at === 0}
            onClick={() => form.reorderListItem('rules', { from: at, to: at - 1 })}
          >
            <IconArrowUp size="1rem" aria-hidden />
          </ActionIcon>
          <ActionIcon aria-label={`Remove rule ${number}`} onClick={() => form.removeListItem('rules', at)}>
            <IconTrash size="1rem" aria-hidden />
          </ActionIcon>
        </Group>
      </div>
      <ConditionBuilder value={rule.when} fields={fields} onChange={field('when').onChange} />
      {rule.then === 'notify' && (
        <TextInput
          label="Text"
          description="Posted without asking a model. JSON pointers in braces are filled in from the body."
          placeholder="ℹ️ {/alerts/0/annotations/summary}"
          {...field('text')}
        />
      )}
      {rule.then === 'run' && (
        <>
          <ChannelSelect
            label="Another channel"
            placeholder="The channel of the webhook"
            clearable
            {...field('channelId')}
            value={rule.channelId}
          />
          <Textarea
            label="Another prompt"
            placeholder="The prompt of the webhook"
            autosize
            minRows={2}
            maxRows={12}
            {...field('prompt')}
          />
        </>
      )}
      {form.values.threadKey.trim() !== '' && (
        <Checkbox
          label="Marks the first message of the thread as resolved"
          {...form.getInputProps(`rules.${at}.closes`, { type: 'checkbox' })}
        />
      )}
    </fieldset>
  )
}
