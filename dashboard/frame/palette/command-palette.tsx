import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { Spotlight } from '@mantine/spotlight'
import {
  IconBolt,
  IconChartBar,
  IconChecklist,
  IconClock,
  IconGavel,
  IconHash,
  IconInbox,
  IconKeyboard,
  IconMasksTheater,
  IconMoon,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlug,
  IconPlus,
  IconSearch,
  IconSettings,
  IconSun,
  IconWebhook,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Connector, Schedule, Webhook } from '../../contract.ts'
import { useChoices } from '../../hooks/use-choices.ts'
import { isAtLeast, useMe } from '../../pages/accounts/use-me.ts'
import { useChannelChoices } from '../../pages/channels/use-channels.ts'
import { agentFields, limitFields } from '../../pages/settings/settings-fields.ts'
import { settingsGroups } from '../../pages/settings/settings-sections.ts'
import { useChangeSettings, useSettings } from '../../pages/settings/use-settings.ts'
import { notify, notifyProblem } from '../../ui/feedback/notify.ts'
import { actionPlace } from '../../ui/layout/page.tsx'
import { navItems } from '../sidebar.tsx'
import classes from './command-palette.module.css'
import { useFoundContent } from './use-found-content.ts'

type Props = {
  /** Returns what was typed before the field had the focus. */
  endTyping: () => string
  onClosed: () => void
  onShortcuts: () => void
}

/** Every page and the most common actions, two keys away. */
export default function CommandPalette({ endTyping, onClosed, onShortcuts }: Props) {
  return (
    <Spotlight.Root
      shortcut={null}
      // At the top, so that it does not move while the list below gets shorter.
      centered={false}
      yOffset="12vh"
      transitionProps={{ duration: 120 }}
      overlayProps={{ blur: 0, backgroundOpacity: 0.45 }}
      scrollable
      maxHeight={420}
      query=""
      onSpotlightClose={onClosed}
    >
      <Found endTyping={endTyping} onShortcuts={onShortcuts} />
    </Spotlight.Root>
  )
}

type Command = {
  id: string
  label: string
  /** What kind of thing it is, unless it is a page or an action. */
  kind?: string
  Icon: typeof IconPlus
  act: () => void
}

/** Each field of the settings, and the page that it is on. */
const settingsFields = [
  { fields: agentFields, to: '/settings/agent' },
  { fields: limitFields, to: '/settings/limits' },
].flatMap(({ fields, to }) =>
  fields.flatMap(({ texts = [], numbers = [] }) =>
    [...texts, ...numbers].map(({ label }) => ({ label, to })),
  ),
)

/** What people look for that is not a field of those forms. */
const moreFields = [
  { label: 'Model prices', to: '/settings/limits', role: 'admin' },
  { label: 'Fallback model', to: '/settings/model', role: 'admin' },
  { label: 'Model provider and API key', to: '/settings/model', role: 'admin' },
  { label: 'Invite somebody', to: '/settings/users', role: 'admin' },
  { label: 'Create an API key', to: '/settings/keys', role: 'admin' },
  { label: 'Two-step verification', to: '/settings/account', role: 'member' },
  { label: 'Password', to: '/settings/account', role: 'member' },
  { label: 'Language of dates and numbers', to: '/settings/account', role: 'member' },
] as const

/** The buttons beside the title of the page, as they are when the palette opens. */
function actionsOfPage(): Command[] {
  const buttons = document.querySelectorAll<HTMLElement>(`#${actionPlace} :is(button, a):not(:disabled)`)
  return [...buttons].flatMap((button) => {
    const label = button.ariaLabel ?? button.textContent
    return label
      ? [{ id: `here-${label}`, label, kind: 'This page', Icon: IconBolt, act: () => button.click() }]
      : []
  })
}

const nameOf = ({ name }: { name: string }) => name

function Found({ endTyping, onShortcuts }: Omit<Props, 'onClosed'>) {
  const navigate = useNavigate()
  const me = useMe()
  const operator = isAtLeast(me.role, 'operator')
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme() === 'dark'
  const [query, setQuery] = useState('')
  const content = useFoundContent(query, operator)
  const admin = isAtLeast(me.role, 'admin')
  const paused = useSettings().data?.agent.paused ?? false
  const change = useChangeSettings()
  // The palette is closed by then, so nothing here waits for the answer.
  const pause = () =>
    void change
      .mutateAsync({ agent: { paused: !paused } })
      .then(() => notify(paused ? 'The agent is running again' : 'The agent is paused'), notifyProblem)
  const channels = useChannelChoices(null)
  const webhooks = useChoices<Webhook>('/webhooks', [], { labelOf: nameOf, enabled: operator })
  const schedules = useChoices<Schedule>('/schedules', [], { labelOf: nameOf, enabled: operator })
  const connectors = useChoices<Connector>('/connectors', [], { labelOf: nameOf, enabled: operator })
  const [here] = useState(actionsOfPage)
  const go = (to: string) => () => void navigate({ to })
  const thing =
    (kind: string, Icon: Command['Icon'], list: string) =>
    ({ value, label }: { value: string; label: string }): Command => ({
      id: value,
      label,
      kind,
      Icon,
      act: go(`${list}/${value}`),
    })
  const commands: Command[] = [
    ...here,
    ...navItems
      .filter((place) => operator || !('role' in place))
      .map(({ to, word, Icon }) => ({ id: to, label: word, Icon, act: go(to) })),
    ...(operator
      ? [
          { id: 'new-webhook', label: 'New webhook', Icon: IconPlus, act: go('/webhooks/new') },
          { id: 'new-schedule', label: 'New schedule', Icon: IconPlus, act: go('/schedules/new') },
          { id: 'new-connector', label: 'New connector', Icon: IconPlus, act: go('/connectors/new') },
          { id: 'import', label: 'Import an API', Icon: IconPlus, act: go('/connectors/import') },
          { id: 'policies', label: 'Policies', Icon: IconGavel, act: go('/policies') },
          { id: 'figures', label: 'Figures', Icon: IconChartBar, act: go('/figures') },
          { id: 'rehearsals', label: 'Rehearsals', Icon: IconMasksTheater, act: go('/rehearsals') },
          {
            id: 'failed-events',
            label: 'Replay failed events',
            Icon: IconInbox,
            act: go('/events?status=failed'),
          },
        ]
      : []),
    ...(admin
      ? [
          { id: 'new-policy', label: 'New policy', Icon: IconPlus, act: go('/policies/new') },
          { id: 'next-approval', label: 'Approve next', Icon: IconChecklist, act: go('/approvals') },
          {
            id: 'pause',
            label: paused ? 'Resume the agent' : 'Pause the agent',
            Icon: paused ? IconPlayerPlay : IconPlayerPause,
            act: pause,
          },
        ]
      : []),
    { id: 'failed', label: 'Failed runs', Icon: IconPlayerPlay, act: go('/runs?status=failed') },
    { id: 'shortcuts', label: 'Keyboard shortcuts', Icon: IconKeyboard, act: onShortcuts },
    {
      id: 'scheme',
      label: dark ? 'Switch to light mode' : 'Switch to dark mode',
      Icon: dark ? IconSun : IconMoon,
      act: () => setColorScheme(dark ? 'light' : 'dark'),
    },
    ...settingsGroups
      .flatMap((group) => group.sections)
      .filter((place) => isAtLeast(me.role, place.role))
      .map(({ name, word }) => ({
        id: `settings-${name}`,
        label: word,
        kind: 'Settings',
        Icon: IconSettings,
        act: go(`/settings/${name}`),
      })),
    ...moreFields
      .filter(({ role }) => isAtLeast(me.role, role))
      .map(({ label, to }) => ({
        id: `field-${label}`,
        label,
        kind: 'Setting',
        Icon: IconSettings,
        act: go(to),
      })),
    ...(admin
      ? settingsFields.map(({ label, to }) => ({
          id: `field-${label}`,
          label,
          kind: 'Setting',
          Icon: IconSettings,
          act: go(to),
        }))
      : []),
    ...channels.data.map(thing('Channel', IconHash, '/channels')),
    ...connectors.data.map(thing('Connector', IconPlug, '/connectors')),
    ...webhooks.data.map(thing('Webhook', IconWebhook, '/webhooks')),
    ...schedules.data.map(thing('Schedule', IconClock, '/schedules')),
  ]
  const wanted = query.trim().toLowerCase()
  const found: Command[] = [
    ...commands.filter(({ label }) => label.toLowerCase().includes(wanted)).slice(0, 30),
    ...content.map(({ to, ...thing }) => ({ ...thing, act: go(to) })),
  ]
  return (
    <>
      <Spotlight.Search
        value={query}
        onChange={(event) => {
          const words = event.currentTarget.value
          setQuery(words)
          for (const list of [channels, webhooks, schedules, connectors]) list.onSearchChange(words)
        }}
        onFocus={({ currentTarget }) => {
          const typed = endTyping()
          if (typed === '') return
          // As if it were typed now.
          currentTarget.setRangeText(typed, 0, 0, 'end')
          currentTarget.dispatchEvent(new Event('input', { bubbles: true }))
        }}
        placeholder="Search pages and actions"
        aria-label="Search pages and actions"
        leftSection={<IconSearch size="1.125rem" aria-hidden />}
      />
      <Spotlight.ActionsList className={classes.list ?? ''}>
        {found.length > 0 ? (
          found.map(({ id, label, kind, Icon, act }) => (
            <Spotlight.Action
              key={id}
              className={classes.found}
              label={label}
              description={kind}
              leftSection={<Icon size="1.125rem" stroke={1.6} aria-hidden />}
              onClick={act}
            />
          ))
        ) : (
          <Spotlight.Empty>No results</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </>
  )
}
