import { Button, Group, Stack, Stepper, Text } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { Navigate, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useFilter } from '../../hooks/use-filter.ts'
import { useStillOnPage } from '../../hooks/use-still-on-page.ts'
import { Page } from '../../ui/layout/page.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { FirstAgent } from './first-agent.tsx'
import { FirstEvent } from './first-event.tsx'
import { FirstModel } from './first-model.tsx'
import { FirstWebhook } from './first-webhook.tsx'

/** From nothing to the first reply. Every step can be left and resumed: the URL holds the current one. */
export default function FirstRun() {
  const admin = useHasRole('admin')
  const operator = useHasRole('operator')
  const narrow = useMediaQuery('(max-width: 48em)', undefined, { getInitialValueInEffect: false })
  const [stepText, setStep] = useFilter('step', 'push')
  const [webhookId, setWebhook] = useFilter('webhook', 'push')
  const [isAnswered, setIsAnswered] = useState(false)
  const navigate = useNavigate()
  const isStillOnPage = useStillOnPage()
  const first = admin ? 0 : 2
  const step = Math.min(3, Math.max(first, Number(stepText ?? first) || first))
  const go = (to: number) => setStep(String(to))
  const continueWith = async (webhook: string) => {
    if (!isStillOnPage()) return
    // Going back to this step shows it as done.
    await navigate({ to: '.', search: { step: '2', webhook }, replace: true })
    await navigate({ to: '.', search: { step: '3', webhook } })
  }
  if (!operator) return <Navigate to="/" />
  return (
    <Page title="Get started">
      <Stack gap="xl" maw={860}>
        <Text c="dimmed">
          {admin ? 'Four' : 'Two'} short steps to your first reply. You can change everything later.
        </Text>
        <Stepper
          active={step === 3 && isAnswered ? 4 : step}
          onStepClick={go}
          size="sm"
          iconSize={28}
          allowNextStepsSelect={false}
        >
          {[
            { label: 'Agent', words: 'Name and purpose' },
            { label: 'Model', words: 'Or offline for now' },
            { label: 'Webhook', words: 'Who sends events' },
            { label: 'Test', words: 'Send an event' },
          ].map(({ label, words }, at) => (
            <Stepper.Step
              key={label}
              {...(narrow ? {} : { label, description: words })}
              aria-label={`${at + 1}: ${label}`}
              disabled={at < first}
            />
          ))}
        </Stepper>
        {step === 0 && <FirstAgent onDone={() => go(1)} />}
        {step === 1 && <FirstModel onDone={() => go(2)} />}
        {step === 2 && webhookId && (
          <Group>
            <Text>Webhook created.</Text>
            <Button onClick={() => go(3)}>Continue</Button>
            <Button variant="default" onClick={() => setWebhook(null)}>
              Create another
            </Button>
          </Group>
        )}
        {step === 2 && !webhookId && <FirstWebhook onDone={(id) => void continueWith(id)} />}
        {step === 3 && webhookId && <FirstEvent webhookId={webhookId} onDone={() => setIsAnswered(true)} />}
        {step === 3 && !webhookId && (
          <Group>
            <Text>Create a webhook first.</Text>
            <Button variant="default" onClick={() => go(2)}>
              Go back
            </Button>
          </Group>
        )}
      </Stack>
    </Page>
  )
}
