import { Group, Kbd, Modal, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useHasRole } from '../../pages/accounts/use-me.ts'
import { formats } from '../../pages/channels/composer/format-text.ts'
import { navItems } from '../sidebar.tsx'

const mod = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl'

type Keys = { title: string; keys: [keys: string[], does: string][] }

const groups: Keys[] = [
  {
    title: 'Everywhere',
    keys: [
      [[mod, 'K'], 'Search and actions'],
      [['/'], 'Search this page'],
      [['?'], 'Keyboard shortcuts'],
    ],
  },
  {
    title: 'Lists',
    keys: [
      [['j'], 'Next row'],
      [['k'], 'Previous row'],
      [['Enter'], 'Open the row'],
      [['x'], 'Select the row'],
      [['Esc'], 'Clear the selection'],
    ],
  },
  {
    title: 'Approvals',
    keys: [
      [['j', 'k'], 'Next, previous'],
      [['a'], 'Approve'],
      [['d'], 'Deny'],
    ],
  },
  {
    title: 'Runs and charts',
    keys: [
      [['j', 'k'], 'Next, previous step of a run'],
      [['z'], 'Zoom to the step, and back'],
      [['←', '→'], 'Next, previous bar of a chart'],
      [['Enter'], 'Open what the bar counts'],
    ],
  },
  {
    title: 'Messages',
    keys: formats.map(({ name, keys }) => [
      keys.split('+').map((key) => ({ mod, shift: 'Shift' })[key] ?? key),
      name,
    ]),
  },
]

export default function Shortcuts({ onClose }: { onClose: () => void }) {
  const operator = useHasRole('operator')
  const places: Keys = {
    title: 'Go to',
    keys: navItems
      .filter((place) => operator || !('role' in place))
      .map(({ key, word }) => [['g', key], word]),
  }
  return (
    <Modal opened onClose={onClose} title="Keyboard shortcuts" size="lg">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {[places, ...groups].map(({ title, keys }) => (
          <Stack key={title} gap={4}>
            <Title order={3}>{title}</Title>
            {keys.map(([names, does]) => (
              <Group key={does} justify="space-between" wrap="nowrap">
                <Text size="sm">{does}</Text>
                <Group gap={4} wrap="nowrap">
                  {names.map((name) => (
                    <Kbd key={name} size="xs">
                      {name}
                    </Kbd>
                  ))}
                </Group>
              </Group>
            ))}
          </Stack>
        ))}
      </SimpleGrid>
    </Modal>
  )
}
