import { Tabs } from '@mantine/core'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { Role } from '../../contract.ts'
import { Page } from '../../ui/page.tsx'
import { useMay } from '../accounts/use-me.ts'
import { About } from './about.tsx'
import { AgentSettings } from './agent-settings.tsx'
import { ApiKeys } from './api-keys.tsx'
import { AuditLog } from './audit-log.tsx'
import { LimitSettings } from './limit-settings.tsx'
import { ModelSettings } from './model-settings.tsx'
import { OwnAccount } from './own-account.tsx'
import { Sessions } from './sessions.tsx'
import { SignInProvider } from './sign-in-provider.tsx'
import { Users } from './users.tsx'
import { Workspaces } from './workspaces.tsx'

const tabs: { name: string; word: string; role: Role; Panel: React.ComponentType }[] = [
  { name: 'agent', word: 'Agent', role: 'admin', Panel: AgentSettings },
  { name: 'model', word: 'Model', role: 'admin', Panel: ModelSettings },
  { name: 'workspaces', word: 'Workspaces', role: 'admin', Panel: Workspaces },
  { name: 'users', word: 'Users', role: 'admin', Panel: Users },
  { name: 'sign-in', word: 'Sign-in', role: 'admin', Panel: SignInProvider },
  { name: 'keys', word: 'API keys', role: 'admin', Panel: ApiKeys },
  { name: 'limits', word: 'Limits', role: 'admin', Panel: LimitSettings },
  { name: 'audit', word: 'Audit log', role: 'admin', Panel: AuditLog },
  { name: 'account', word: 'Your account', role: 'member', Panel: OwnAccount },
  { name: 'sessions', word: 'Your sessions', role: 'member', Panel: Sessions },
  { name: 'about', word: 'About', role: 'member', Panel: About },
]

export default function SettingsPage() {
  const admin = useMay('admin')
  const navigate = useNavigate()
  const { tab }: { tab?: string } = useParams({ strict: false })
  const offered = tabs.filter(({ role }) => admin || role === 'member')
  const chosen = offered.find(({ name }) => name === tab) ?? offered[0]
  if (!chosen) return null
  return (
    <Page title="Settings">
      <Tabs
        value={chosen.name}
        onChange={(name) => void navigate({ to: `/settings/${name}` })}
        keepMounted={false}
      >
        <Tabs.List mb="lg">
          {offered.map(({ name, word }) => (
            <Tabs.Tab key={name} value={name}>
              {word}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={chosen.name}>
          <chosen.Panel />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
