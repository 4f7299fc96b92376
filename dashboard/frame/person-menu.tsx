import {
  Avatar,
  Menu,
  SegmentedControl,
  Text,
  UnstyledButton,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { IconBook, IconLogout, IconUser } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { basePath } from '../base-path.ts'
import { useAction } from '../hooks/use-action.ts'
import { roleLabels } from '../pages/accounts/roles.ts'
import { useMe, useSignOut } from '../pages/accounts/use-me.ts'

export function PersonMenu() {
  const me = useMe()
  const signOut = useAction(useSignOut())
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Menu width={240}>
      <Menu.Target>
        <UnstyledButton>
          <Avatar size={30} radius="50%" name={me.name} color="gray" variant="light" c="inherit" />
          {/* After the initials: who says what is visible, to a voice control, is understood. */}
          <VisuallyHidden component="span"> {me.name}, menu</VisuallyHidden>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div style={{ padding: '0.5rem 0.75rem' }}>
          <Text fw={500} truncate>
            {me.name}
          </Text>
          <Text size="xs" c="dimmed" truncate>
            {me.email} · {roleLabels[me.role]}
          </Text>
        </div>
        <Menu.Divider />
        <div style={{ padding: '0.25rem 0.5rem' }}>
          <SegmentedControl
            fullWidth
            size="xs"
            aria-label="Color scheme"
            value={colorScheme}
            onChange={(value) => setColorScheme(value === 'light' || value === 'dark' ? value : 'auto')}
            data={[
              { value: 'auto', label: 'System' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
          />
        </div>
        <Menu.Divider />
        <Menu.Item leftSection={<IconUser size="1rem" aria-hidden />} component={Link} to="/settings/account">
          Your account
        </Menu.Item>
        <Menu.Item
          leftSection={<IconBook size="1rem" aria-hidden />}
          component="a"
          href={`${basePath}/api/docs`}
          target="_blank"
        >
          API reference
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size="1rem" aria-hidden />} onClick={() => signOut.mutate()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
