import { Anchor, Code, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ToolHealth } from '../../../contract.ts'
import { plural } from '../../../ui/text/plural.ts'
import { useHasRole } from '../../accounts/use-me.ts'

/** Where the connector's requests went in the last 48 hours, and where the egress let none through. */
export function Hosts({ hosts }: { hosts: ToolHealth['hosts'] }) {
  const admin = useHasRole('admin')
  return hosts.map(({ host, calls, refused }) => (
    <Text key={host} size="sm">
      <Code fz={13}>{host}</Code> {plural(calls, 'call')}
      {refused > 0 && (
        <>
          {', '}
          <Text span c="var(--bad)" fw={500}>
            {refused} refused
          </Text>{' '}
          {admin && (
            <Anchor component={Link} to="/settings/audit" search={{ action: 'egress.refused' } as never}>
              Why
            </Anchor>
          )}
        </>
      )}
    </Text>
  ))
}
