import {
  ActionIcon,
  Button,
  Kbd,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { Spotlight, type SpotlightActionData, spotlight } from '@mantine/spotlight'
import { IconHash, IconMoon, IconPlug, IconPlus, IconSearch, IconSun, IconWebhook } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Channel, Webhook } from '../contract.ts'
import { useMay } from '../pages/accounts/use-me.ts'
import type { Connector } from '../pages/connectors/connector-kinds.ts'
import { useChoices } from '../use-choices.ts'
import classes from './command-palette.module.css'
import { places } from './sidebar.tsx'

const shortcut = navigator.platform.startsWith('Mac') ? '⌘ K' : 'Ctrl K'

export function PaletteButton() {
  return (
    <>
      <Button
        className={classes.wide}
        variant="default"
        size="xs"
        fw={400}
        c="dimmed"
        leftSection={<IconSearch size={15} />}
        rightSection={<Kbd size="xs">{shortcut}</Kbd>}
        onClick={() => spotlight.open()}
      >
        Search
      </Button>
      <Tooltip label="Search">
        <ActionIcon
          className={classes.small}
          variant="subtle"
          color="gray"
          aria-label="Search and commands"
          onClick={() => spotlight.open()}
        >
          <IconSearch size={18} />
        </ActionIcon>
      </Tooltip>
    </>
  )
}

/** Every place and the most common deeds, two keys away. */
export function CommandPalette() {
  const [opened, setOpened] = useState(false)
  return (
    <Spotlight.Root
      shortcut="mod + K"
      // At the top, so that it stays where it is while the list below gets shorter.
      centered={false}
      yOffset="12vh"
      tagsToIgnore={[]}
      triggerOnContentEditable
      onSpotlightOpen={() => setOpened(true)}
      onSpotlightClose={() => setOpened(false)}
      transitionProps={{ duration: 120 }}
      overlayProps={{ blur: 0, backgroundOpacity: 0.45 }}
      scrollable
      maxHeight={420}
      query=""
    >
      {opened ? <Found /> : null}
    </Spotlight.Root>
  )
}

const nameOf = ({ name }: { name: string }) => name

function Found() {
  const navigate = useNavigate()
  const operator = useMay('operator')
  const { setColorScheme } = useMantineColorScheme()
  const dark = useComputedColorScheme() === 'dark'
  const [query, setQuery] = useState('')
  const channels = useChoices<Channel>('/channels', [], { labelOf: ({ name }) => `#${name}` })
  const webhooks = useChoices<Webhook>('/webhooks', [], { labelOf: nameOf, enabled: operator })
  const connectors = useChoices<Connector>('/connectors', [], { labelOf: nameOf, enabled: operator })
  const go = (to: string) => () => void navigate({ to })

  const commands: SpotlightActionData[] = [
    ...places
      .filter((place) => operator || !('role' in place))
      .map(({ to, word, Icon }) => ({
        id: to,
        label: word,
        leftSection: <Icon size={18} stroke={1.6} />,
        onClick: go(to),
      })),
    ...(operator
      ? [
          {
            id: 'new-webhook',
            label: 'New webhook',
            leftSection: <IconPlus size={18} />,
            onClick: go('/webhooks/new'),
          },
          {
            id: 'new-connector',
            label: 'New connector',
            leftSection: <IconPlus size={18} />,
            onClick: go('/connectors/new'),
          },
        ]
      : []),
    {
      id: 'scheme',
      label: dark ? 'Use the light scheme' : 'Use the dark scheme',
      leftSection: dark ? <IconSun size={18} stroke={1.6} /> : <IconMoon size={18} stroke={1.6} />,
      onClick: () => setColorScheme(dark ? 'light' : 'dark'),
    },
    ...channels.data.map(({ value, label }) => ({
      id: value,
      label,
      description: 'Channel',
      leftSection: <IconHash size={18} stroke={1.6} />,
      onClick: go(`/channels/${value}`),
    })),
    ...connectors.data.map(({ value, label }) => ({
      id: value,
      label,
      description: 'Connector',
      leftSection: <IconPlug size={18} stroke={1.6} />,
      onClick: go(`/connectors/${value}`),
    })),
    ...webhooks.data.map(({ value, label }) => ({
      id: value,
      label,
      description: 'Webhook',
      leftSection: <IconWebhook size={18} stroke={1.6} />,
      onClick: go(`/webhooks/${value}`),
    })),
  ]
  const wanted = query.trim().toLowerCase()
  const found = commands
    .filter((command) => String(command.label).toLowerCase().includes(wanted))
    .slice(0, 40)
  return (
    <>
      <Spotlight.Search
        value={query}
        onChange={(event) => {
          const words = event.currentTarget.value
          setQuery(words)
          for (const list of [channels, webhooks, connectors]) list.onSearchChange(words)
        }}
        placeholder="Where to, or what to do"
        aria-label="Search places and commands"
        leftSection={<IconSearch size={18} />}
      />
      <Spotlight.ActionsList className={classes.list ?? ''}>
        {found.length > 0 ? (
          found.map((command) => (
            <Spotlight.Action
              key={command.id}
              className={classes.found}
              label={String(command.label)}
              description={command.description}
              leftSection={command.leftSection}
              onClick={command.onClick}
            />
          ))
        ) : (
          <Spotlight.Empty>Nothing has this name</Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </>
  )
}
