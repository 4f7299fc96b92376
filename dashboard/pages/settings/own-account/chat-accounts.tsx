import { Button, Group, List, Stack, Text, Title } from '@mantine/core'
import { call } from '../../../api.ts'
import type { ChatAccount, LinkCode } from '../../../contract.ts'
import { useAction } from '../../../hooks/use-action.ts'
import { useOne } from '../../../hooks/use-api.ts'
import { RawView } from '../../../ui/code/raw-view.tsx'
import { QueryView } from '../../../ui/feedback/query-view.tsx'
import { RelativeTime } from '../../../ui/text/relative-time.tsx'

/** Links chat accounts to the user, so that a click on another platform has a role. */
export function ChatAccounts() {
  const accounts = useOne<{ items: ChatAccount[] }>('/chat-accounts', 5000)
  const linked = accounts.data?.items.length ?? 0
  const code = useAction((_linkedBefore: number) => call<LinkCode>('POST', '/chat-accounts/code'))
  // Once the account is linked, its code is of no more use.
  const waiting = code.data !== undefined && linked <= code.variables
  const unlink = useAction(
    ({ workspaceId, externalId }: ChatAccount) =>
      call<void>('DELETE', `/workspaces/${workspaceId}/identities/${encodeURIComponent(externalId)}`),
    { changes: ['/chat-accounts'] },
  )
  return (
    <Stack>
      <Title order={2}>Chat accounts</Title>
      <Text c="dimmed">
        Link your account in Slack or another chat system so that approvals you make there count as yours.
      </Text>
      <QueryView query={accounts} rows={1}>
        {({ items }) =>
          items.length > 0 && (
            <List>
              {items.map((account) => (
                <List.Item key={`${account.workspaceId}${account.externalId}`}>
                  <Group gap={8}>
                    {account.name}, linked <RelativeTime at={account.linkedAt} />
                    <Button size="compact-xs" variant="default" onClick={() => unlink.mutate(account)}>
                      Unlink
                    </Button>
                  </Group>
                </List.Item>
              ))}
            </List>
          )
        }
      </QueryView>
      {waiting && (
        <>
          <Text>
            Send this to the agent in a direct message. The code expires{' '}
            <RelativeTime at={code.data.expiresAt} />.
          </Text>
          <RawView what="message" text={code.data.text} />
        </>
      )}
      <div>
        <Button variant="default" loading={code.isPending} onClick={() => code.mutate(linked)}>
          {waiting ? 'Create new code' : 'Link account'}
        </Button>
      </div>
    </Stack>
  )
}
