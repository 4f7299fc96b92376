import { useSearch } from '@tanstack/react-router'
import type { Approval } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { useNavigateIfHere } from '../../hooks/use-navigate-if-here.ts'
import { notify } from '../../ui/feedback/notify.ts'
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
        <QueryView query={asked}>
          {(value) => <Form initialValues={similarTo(value, new Date())} />}
        </QueryView>
      ) : (
        <Form initialValues={suggested} />
      )}
    </Page>
  )
}

function Form({ initialValues }: { initialValues: PolicyValues }) {
  const navigateIfHere = useNavigateIfHere()
  return (
    <PolicyForm
      id={null}
      initialValues={initialValues}
      onSaved={({ id }) => {
        notify('Policy created')
        void navigateIfHere(`/policies/${id}`)
      }}
    />
  )
}
