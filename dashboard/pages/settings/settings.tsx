import { Select } from '@mantine/core'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { Role } from '../../contract.ts'
import { Empty } from '../../ui/empty.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Page } from '../../ui/page.tsx'
import { notForRole } from '../accounts/not-for-role.ts'
import { isAtLeast, useMe } from '../accounts/use-me.ts'
import { About } from './about.tsx'
import { AgentSettings } from './agent-settings.tsx'
import { ApiKeys } from './api-keys.tsx'
import { AuditLog } from './audit-log.tsx'
import { LimitSettings } from './limit-settings.tsx'
import { ModelSettings } from './model-settings.tsx'
import { OwnAccount } from './own-account.tsx'
import { Sessions } from './sessions.tsx'
import classes from './settings.module.css'
import { SignInProvider } from './sign-in-provider.tsx'
import { Users } from './users.tsx'
import { Workspaces } from './workspaces.tsx'

type Place = { name: string; word: string; role: Role; Panel: React.ComponentType }

const groups: { heading: string; places: Place[] }[] = [
  {
    heading: 'General',
    places: [
      { name: 'agent', word: 'Agent', role: 'admin', Panel: AgentSettings },
      { name: 'model', word: 'Model', role: 'admin', Panel: ModelSettings },
      { name: 'workspaces', word: 'Workspaces', role: 'admin', Panel: Workspaces },
      { name: 'limits', word: 'Limits', role: 'admin', Panel: LimitSettings },
    ],
  },
  {
    heading: 'People and access',
    places: [
      { name: 'users', word: 'Users', role: 'admin', Panel: Users },
      { name: 'sign-in', word: 'Sign-in', role: 'admin', Panel: SignInProvider },
      { name: 'keys', word: 'API keys', role: 'admin', Panel: ApiKeys },
      { name: 'audit', word: 'Audit log', role: 'admin', Panel: AuditLog },
    ],
  },
  {
    heading: 'You',
    places: [
      { name: 'account', word: 'Your account', role: 'member', Panel: OwnAccount },
      { name: 'sessions', word: 'Your sessions', role: 'member', Panel: Sessions },
    ],
  },
  { heading: 'Bellhop', places: [{ name: 'about', word: 'About', role: 'member', Panel: About }] },
]

export default function SettingsPage() {
  const { role } = useMe()
  const navigate = useNavigate()
  const { tab }: { tab?: string } = useParams({ strict: false })
  const offered = groups
    .map(({ heading, places }) => ({
      heading,
      places: places.filter((place) => isAtLeast(role, place.role)),
    }))
    .filter(({ places }) => places.length > 0)
  const places = offered.flatMap((group) => group.places)
  const wanted = groups.flatMap((group) => group.places).find(({ name }) => name === tab)
  const chosen = tab === undefined ? places[0] : wanted
  return (
    <Page title="Settings" {...(chosen ? { place: chosen.word } : {})}>
      <div className={classes.settings}>
        <nav className={classes.nav} aria-label="Settings">
          {offered.map((group) => (
            <ul key={group.heading} className={classes.group} aria-label={group.heading}>
              <li className={classes.heading} aria-hidden>
                {group.heading}
              </li>
              {group.places.map(({ name, word }) => (
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
          aria-label="Which settings"
          allowDeselect={false}
          placeholder="Choose"
          value={chosen?.name ?? null}
          data={offered.map((group) => ({
            group: group.heading,
            items: group.places.map(({ name, word }) => ({ value: name, label: word })),
          }))}
          onChange={(name) => void navigate({ to: `/settings/${name}` })}
        />
        <div>
          {!chosen ? (
            <Empty
              purpose="No settings have this address."
              example="The link may be old, or a letter of it is missing."
            />
          ) : isAtLeast(role, chosen.role) ? (
            <chosen.Panel />
          ) : (
            <Failed error={notForRole(role, chosen.role)} />
          )}
        </div>
      </div>
    </Page>
  )
}
