import { Anchor, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Approval } from '../../../contract.ts'
import { useFilter } from '../../../hooks/use-filter.ts'
import { notify } from '../../../ui/feedback/notify.ts'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'
import { useHasRole } from '../../accounts/use-me.ts'
import { linkToMessage } from '../../channels/messages/link-to-message.ts'
import { approvedWords, waitsFor } from '../approval-text.ts'
import { DecisionForm } from './decision-form.tsx'
import { EditApproval } from './edit-approval.tsx'
import { sendDecision, useDecide } from './use-decide.ts'

/** For those that nobody decided. */
const ends: Partial<Record<Approval['status'], string>> = { expired: 'Expired ', void: 'Became void ' }

type Props = {
  approval: Approval
  keys?: boolean
  onDecided?: () => void
}

/** The decision form for those who may decide; for everybody, who decided. */
export function Decide({ approval, keys = false, onDecided }: Props) {
  const admin = useHasRole('admin')
  const { mayDecide } = approval
  const [edit, setEdit] = useFilter('edit')
  const isEditing = edit === approval.id || (edit === 'true' && keys)
  const setEditing = (to: boolean) => setEdit(to ? approval.id : null)
  const decide = useDecide({
    approvalId: approval.id,
    send: (decision) => sendDecision(approval, decision),
    onDecided: (now, { verb }) => {
      notify(verb === 'approve' ? approvedWords(now) : 'Denied')
      onDecided?.()
    },
  })
  if (approval.status !== 'pending') {
    return (
      <Text size="xs" c="dimmed">
        {approval.decidedBy ? `Decided by ${approval.decidedBy.name} ` : ends[approval.status]}
        <RelativeTime at={approval.decidedAt} none="" />
        {approval.reason ? ` · “${approval.reason}”` : ''}
        {approval.outcome ? ` ${approval.outcome}` : ''}
      </Text>
    )
  }
  // Without the buttons: they would send the request as it is, and not what is being typed.
  if (mayDecide && isEditing) return <EditApproval approval={approval} onClose={() => setEditing(false)} />
  const editLink = (
    <Anchor component="button" type="button" size="xs" onClick={() => setEditing(true)}>
      Edit input…
    </Anchor>
  )
  if (mayDecide && approval.kind === 'confirm') {
    return (
      <>
        {approval.channelName ? (
          <Text size="sm">
            This call must be confirmed in the channel.{' '}
            <Anchor component={Link} to={linkToMessage(approval)}>
              Open channel
            </Anchor>
          </Text>
        ) : (
          <Text size="sm">
            This call must be confirmed on its card, in the direct conversation where it was requested.
          </Text>
        )}
        <Group>{editLink}</Group>
      </>
    )
  }
  return (
    <>
      <DecisionForm approvalId={approval.id} decide={decide} waitsFor={waitsFor(approval)} keys={keys} />
      {mayDecide && (
        <Group gap={12}>
          {admin && (
            <Anchor component={Link} to={`/policies/new?approval=${approval.id}`} size="xs">
              Approve and allow similar…
            </Anchor>
          )}
          {editLink}
        </Group>
      )}
    </>
  )
}
