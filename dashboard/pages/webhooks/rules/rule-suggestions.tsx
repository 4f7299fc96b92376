import { Button, Menu } from '@mantine/core'
import { IconBulb, IconCheck } from '@tabler/icons-react'
import type { Rule } from '../../../../src/events/rules/contract.ts'
import { suggestions } from '../../../../src/webhooks/suggestions/contract.ts'
import type { DraftForm } from '../../../ui/forms/use-draft-form.ts'
import { newRule, type WebhookValues } from '../form/webhook-values.ts'

/** What usually makes sense for a sender; the one whose signature is checked comes first. */
export function RuleSuggestions({ form }: { form: DraftForm<WebhookValues> }) {
  const { preset } = form.values.verification
  const { threadKey: chosenKey, rules: chosen } = form.values
  const isChosen = ({ when, then }: Rule) => chosen.some((one) => one.when === when && one.then === then)
  const sorted = suggestions.toSorted((a, b) => Number(b.preset === preset) - Number(a.preset === preset))
  return (
    <Menu position="bottom-start" withinPortal closeOnItemClick={false}>
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          w="fit-content"
          leftSection={<IconBulb size="0.875rem" aria-hidden />}
        >
          Suggestions
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={420} style={{ overflowY: 'auto' }}>
        {sorted.map(({ sender, threadKey, rules }) => (
          <div key={sender}>
            <Menu.Label>{sender}</Menu.Label>
            <Menu.Item
              leftSection={<Mark isOn={chosenKey === threadKey} />}
              onClick={() => form.setFieldValue('threadKey', threadKey)}
            >
              One thread for each {threadKey}
            </Menu.Item>
            {rules.map(({ label, rule }) => (
              <Menu.Item
                key={label}
                leftSection={<Mark isOn={isChosen(rule)} />}
                disabled={isChosen(rule)}
                onClick={() => form.insertListItem('rules', { ...newRule, ...rule })}
              >
                {label}
              </Menu.Item>
            ))}
          </div>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Whether the form has it already. */
function Mark({ isOn }: { isOn: boolean }) {
  return <IconCheck size="0.875rem" aria-hidden style={isOn ? {} : { visibility: 'hidden' }} />
}
