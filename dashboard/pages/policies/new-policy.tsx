import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import { call } from '../../api.ts'
import type { Approval } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { useNavigateIfHere } from '../../hooks/use-navigate-if-here.ts'
import { notify, notifyProblem } from '../../ui/feedback/notify.ts'
import { QueryView } from '../../ui/feedback/query-view.tsx'
import { BackTo } from '../../ui/layout/back-to.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { PolicyForm } from './policy-form.tsx'
import { newPolicy, type PolicyValues } from './policy-values.ts'
import { similarTo } from './similar-to.ts'

/** Empty, from a suggestion, or for calls like one that waits for approval. */
export default function NewPolicy() {
  const { tool, when, calls, approval }: Record<string, string | undefined> = useSearch({ strict: false })
  const asked = useOne<Approval>(approval ? `/approvals/${approval}` : null)
  const suggested = {
    ...newPolicy,
    tool: tool ?? null,
    when: when ?? '',
    cap: { ...newPolicy.cap, calls: Number(calls) || newPolicy.cap.calls },
  }
  return (
    <Page title="New policy" back={<BackTo to="/policies" what="policies" />}>
      {approval ? (
        <QueryView query={asked}>{(value) => <Similar approval={value} />}</QueryView>
      ) : (
        <Form initialValues={suggested} />
      )}
    </Page>
  )
}

/** Creating the policy also approves the call that it was written for, if that still waits. */
function Similar({ approval }: { approval: Approval }) {
  const [asked] = useState(approval)
  const queries = useQueryClient()
  const isWaiting = asked.status === 'pending' && asked.kind === 'approve'
  const approve = async () => {
    await call<Approval>('POST', `/approvals/${asked.id}/approve`, {}, { ifMatch: asked.digest }).then(
      () => notify('Policy created and call approved'),
      notifyProblem,
    )
    void queries.invalidateQueries({ queryKey: ['/approvals'] })
  }
  return (
    <>
      {isWaiting && (
        <Text size="sm" mb="md">
          When you create this policy, the waiting call ({toolLabel(asked.tool)}) is approved too.
        </Text>
      )}
      <Form
        initialValues={similarTo(asked, new Date())}
        save={isWaiting ? 'Approve and create policy' : undefined}
        onCreated={isWaiting ? approve : undefined}
      />
    </>
  )
}

type FormProps = {
  initialValues: PolicyValues
  save?: string | undefined
  onCreated?: (() => Promise<void>) | undefined
}

function Form({ initialValues, save, onCreated }: FormProps) {
  const navigateIfHere = useNavigateIfHere()
  return (
    <PolicyForm
      id={null}
      initialValues={initialValues}
      save={save}
      onSaved={({ id }) => {
        if (onCreated) void onCreated()
        else notify('Policy created')
        void navigateIfHere(`/policies/${id}`)
      }}
    />
  )
}
