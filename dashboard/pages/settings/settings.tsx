import { Select } from '@mantine/core'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { Empty } from '../../ui/feedback/empty.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { notForRole } from '../accounts/not-for-role.ts'
import { isAtLeast, useMe } from '../accounts/use-me.ts'
import { History } from '../revisions/history.tsx'
import { About } from './about.tsx'
import { AgentSettings } from './agent-settings.tsx'
import { ApiKeys } from './api-keys.tsx'
import { AuditLog } from './audit-log.tsx'
import { Groups } from './groups/groups.tsx'
import { LimitSettings } from './limit-settings.tsx'
import { ModelSettings } from './model/model-settings.tsx'
import { OwnAccount } from './own-account/own-account.tsx'
import { Sessions } from './own-account/sessions.tsx'
import classes from './settings.module.css'
import { type SettingsSection, settingsGroups } from './settings-sections.ts'
import { SignInProvider } from './sign-in-provider.tsx'
import { SigningKeys } from './signing-keys.tsx'
import { Users } from './users/users.tsx'
import { Workspaces } from './workspaces/workspaces.tsx'

const panels: Record<SettingsSection['name'], React.ComponentType> = {
  agent: AgentSettings,
  model: ModelSettings,
  workspaces: Workspaces,
  limits: LimitSettings,
  history: SettingsHistory,
  users: Users,
  groups: Groups,
  'sign-in': SignInProvider,
  keys: ApiKeys,
  signing: SigningKeys,
  audit: AuditLog,
  account: OwnAccount,
  sessions: Sessions,
  about: About,
}

/** Agent, model and limits are saved as one. */
function SettingsHistory() {
  return <History path="/settings" mayRestore />
}

export default function SettingsPage() {
  const { role } = useMe()
  const navigate = useNavigate()
  const { tab }: { tab?: string } = useParams({ strict: false })
  const offered = settingsGroups
    .map(({ heading, sections }) => ({
      heading,
      sections: sections.filter((section) => isAtLeast(role, section.role)),
    }))
    .filter(({ sections }) => sections.length > 0)
  const sections = offered.flatMap((group) => group.sections)
  const wanted = settingsGroups.flatMap((group) => group.sections).find(({ name }) => name === tab)
  const chosen = tab === undefined ? sections[0] : wanted
  const Panel = chosen && panels[chosen.name]
  return (
    <Page title={chosen ? `${chosen.word} · Settings` : 'Settings'}>
      <div className={classes.settings}>
        <nav className={classes.nav} aria-label="Settings">
          {offered.map((group) => (
            <ul key={group.heading} className={classes.group} aria-label={group.heading}>
              <li className={classes.heading} aria-hidden>
                {group.heading}
              </li>
              {group.sections.map(({ name, word }) => (
                <li key={name}>
                  <Link
                    to={`/settings/${name}`}
                    className={classes.place}
                    aria-current={name === chosen?.name ? 'page' : undefined}
                  >
                    {word}
                  </Link>
                </li>
              ))}
            </ul>
          ))}
        </nav>
        <Select
          className={classes.choose}
          aria-label="Settings section"
          allowDeselect={false}
          placeholder="Choose"
          value={chosen?.name ?? null}
          data={offered.map((group) => ({
            group: group.heading,
            items: group.sections.map(({ name, word }) => ({ value: name, label: word })),
          }))}
          onChange={(name) => void navigate({ to: `/settings/${name}` })}
        />
        <div>
          {!chosen || !Panel ? (
            <Empty purpose="Settings page not found" example="The link may be outdated or incomplete." />
          ) : isAtLeast(role, chosen.role) ? (
            <Panel />
          ) : (
            <ErrorAlert error={notForRole(chosen.role)} />
          )}
        </div>
      </div>
    </Page>
  )
}
