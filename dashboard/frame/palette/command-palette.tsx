import { Stack, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useMutationObserverTarget } from '@mantine/hooks'
import { Spotlight, type SpotlightStore } from '@mantine/spotlight'
import {
  IconBolt,
  IconChartBar,
  IconChecklist,
  IconClock,
  IconGavel,
  IconHash,
  IconHistory,
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
import { useLocation, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { Connector, Schedule, Webhook } from '../../contract.ts'
import { useChoices } from '../../hooks/use-choices.ts'
import { isAtLeast, useMe } from '../../pages/accounts/use-me.ts'
import { useChannelChoices } from '../../pages/channels/use-channels.ts'
import { settingsGroups } from '../../pages/settings/settings-sections.ts'
import { useChangeSettings, useSettings } from '../../pages/settings/use-settings.ts'
import { notify, notifyProblem } from '../../ui/feedback/notify.ts'
import { listOpened } from '../../ui/layout/opened-pages.ts'
import { actionPlace } from '../../ui/layout/page.tsx'
import { navItems } from '../sidebar.tsx'
import classes from './command-palette.module.css'
import { soughtFields } from './sought-fields.ts'
import { kindOf, useFoundContent } from './use-found-content.ts'

type Props = {
  store: SpotlightStore
  /** Returns what was typed before the field had the focus. */
  endTyping: () => string
  onClosed: () => void
  onShortcuts: () => void
}

/** Every page and the most common actions, two keys away. */
export default function CommandPalette({ store, endTyping, onClosed, onShortcuts }: Props) {
  return (
    <Spotlight.Root
      store={store}
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
      <Found store={store} endTyping={endTyping} onShortcuts={onShortcuts} />
    </Spotlight.Root>
  )
}

type Command = {
  id: string
  label: string
  /** Under which heading it is listed. */
  group: string
  /** Where it is, if its name does not say so. */
  place?: string
  Icon: typeof IconPlus
  act: () => void
}

/** Of one group, once somebody searches. */
const mostOfGroup = 8

const buttonChanges = { childList: true, subtree: true, attributeFilter: ['disabled'] }

/** The buttons beside the title of the page. */
function actionsOfPage(): Command[] {
  const buttons = document.querySelectorAll<HTMLElement>(`#${actionPlace} :is(button, a):not(:disabled)`)
  return [...buttons].flatMap((button) => {
    const label = button.ariaLabel ?? button.textContent
    return label
      ? [{ id: `here-${label}`, label, group: 'This page', Icon: IconBolt, act: () => button.click() }]
      : []
  })
}

const nameOf = ({ name }: { name: string }) => name

function Found({ store, endTyping, onShortcuts }: Omit<Props, 'onClosed'>) {
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
  const [here, setHere] = useState(actionsOfPage)
  // The page may still be loading when the palette opens.
  const lookAgain = useCallback(() => setHere(actionsOfPage()), [])
  useMutationObserverTarget(lookAgain, buttonChanges, document.getElementById(actionPlace))
  const { pathname } = useLocation()
  const [opened] = useState(() =>
    listOpened().filter(({ to, title }) => to !== pathname && title !== kindOf(to)?.word),
  )
  const go = (to: string) => () => void navigate({ to })
  const page = (label: string, to: string, Icon: Command['Icon']): Command => ({
    id: to,
    label,
    group: 'Pages',
    Icon,
    act: go(to),
  })
  const action = (label: string, Icon: Command['Icon'], act: () => void): Command => ({
    id: label,
    label,
    group: 'Actions',
    Icon,
    act,
  })
  const thing =
    (group: string, Icon: Command['Icon'], list: string) =>
    ({ value, label }: { value: string; label: string }): Command => ({
      id: value,
      label,
      group,
      Icon,
      act: go(`${list}/${value}`),
    })
  const places = [
    ...here,
    ...navItems
      .filter((place) => operator || !('role' in place))
      .map(({ to, word, Icon }) => page(word, to, Icon)),
    ...(operator
      ? [
          page('Policies', '/policies', IconGavel),
          page('Figures', '/figures', IconChartBar),
          page('Rehearsals', '/rehearsals', IconMasksTheater),
        ]
      : []),
    page('Failed runs', '/runs?status=failed', IconPlayerPlay),
    ...(operator
      ? [
          action('New webhook', IconPlus, go('/webhooks/new')),
          action('New schedule', IconPlus, go('/schedules/new')),
          action('New connector', IconPlus, go('/connectors/new')),
          action('Import an API', IconPlus, go('/connectors/import')),
          action('Replay failed events', IconInbox, go('/events?status=failed')),
        ]
      : []),
    ...(admin
      ? [
          action('New policy', IconPlus, go('/policies/new')),
          action('Approve next', IconChecklist, go('/approvals')),
          action(
            paused ? 'Resume the agent' : 'Pause the agent',
            paused ? IconPlayerPlay : IconPlayerPause,
            pause,
          ),
        ]
      : []),
    action('Keyboard shortcuts', IconKeyboard, onShortcuts),
    action(dark ? 'Switch to light mode' : 'Switch to dark mode', dark ? IconSun : IconMoon, () =>
      setColorScheme(dark ? 'light' : 'dark'),
    ),
  ]
  const sections = settingsGroups.flatMap((group) => group.sections)
  const things: Command[] = [
    ...[
      ...sections.map(({ name, word, role }) => ({ label: word, to: `/settings/${name}`, role })),
      ...soughtFields,
    ]
      .filter(({ role }) => isAtLeast(me.role, role))
      .map(({ label, to }) => {
        const place = sections.find(({ name }) => to === `/settings/${name}`)?.word
        return {
          id: `${to} ${label}`,
          label,
          group: 'Settings',
          ...(place && place !== label && { place }),
          Icon: IconSettings,
          act: go(to),
        }
      }),
    ...channels.data.map(thing('Channels', IconHash, '/channels')),
    ...webhooks.data.map(thing('Webhooks', IconWebhook, '/webhooks')),
    ...schedules.data.map(thing('Schedules', IconClock, '/schedules')),
    ...connectors.data.map(thing('Connectors', IconPlug, '/connectors')),
  ]
  const wanted = query.trim().toLowerCase()
  const begins = ({ label }: Command) => label.toLowerCase().startsWith(wanted)
  const recent = opened.map(({ to, title }) => ({
    id: to,
    label: title,
    group: 'Recent',
    Icon: kindOf(to)?.Icon ?? IconHistory,
    act: go(to),
  }))
  const found: Command[] =
    wanted === ''
      ? [...recent, ...places]
      : [
          ...[...places, ...things]
            .filter(({ label }) => label.toLowerCase().includes(wanted))
            .toSorted((a, b) => Number(begins(b)) - Number(begins(a))),
          // These come from the server, a moment later: below what is there already.
          ...content.map(({ to, ...one }) => ({ ...one, act: go(to) })),
        ]
  const groups = Map.groupBy(found, ({ group }) => group)
  const list = useRef<HTMLDivElement>(null)
  // The first one is chosen as somebody types, when what the server finds is not there yet: Enter would do nothing.
  useEffect(() => {
    if (wanted === '' || list.current?.querySelector('[data-selected]')) return
    list.current?.querySelector('[data-action]')?.setAttribute('data-selected', 'true')
    store.updateState((state) => ({ ...state, selected: 0 }))
  })
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
      <Spotlight.ActionsList ref={list} className={classes.list ?? ''}>
        {[...groups].map(([group, commands]) => (
          <Stack key={group} gap={0} role="group" aria-label={group}>
            <div className={classes.heading} aria-hidden>
              {group}
            </div>
            {commands
              .slice(0, wanted === '' ? undefined : mostOfGroup)
              .map(({ id, label, place, Icon, act }) => (
                <Spotlight.Action
                  key={id}
                  className={classes.found}
                  label={label}
                  description={place}
                  leftSection={<Icon size="1.125rem" stroke={1.6} aria-hidden />}
                  onClick={act}
                />
              ))}
          </Stack>
        ))}
        {groups.size === 0 && <Spotlight.Empty>No results</Spotlight.Empty>}
      </Spotlight.ActionsList>
    </>
  )
}
