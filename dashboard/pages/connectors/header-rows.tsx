import { ActionIcon, Button, Checkbox, Group, Input, PasswordInput, Stack, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { useId } from 'react'
import type { DraftForm } from '../../ui/forms/use-draft-form.ts'
import type { ConnectorValues } from './connector-values.ts'

/** Headers sent with every request. The server seals those that look like credentials in any case. */
export function HeaderRows({ form }: { form: DraftForm<ConnectorValues> }) {
  const id = useId()
  return (
    <Input.Wrapper
      role="group"
      aria-labelledby={`${id}-label`}
      aria-describedby={`${id}-description ${id}-error`}
      label="Default headers"
      labelElement="div"
      labelProps={{ id: `${id}-label` }}
      descriptionProps={{ id: `${id}-description` }}
      errorProps={{ id: `${id}-error` }}
      description="Sent with every request. Secret values are encrypted and never shown again."
      error={form.errors.defaultHeaders}
    >
      <Stack gap={8} mt={4}>
        {form.values.defaultHeaders.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row has no name of its own until it is typed
          <Group key={at} gap={8} align="flex-start">
            <TextInput
              aria-label={`Name of header ${at + 1}`}
              placeholder="Accept"
              style={{ flex: '1 1 10rem' }}
              {...form.getInputProps(`defaultHeaders.${at}.name`)}
            />
            {row.secret ? (
              <PasswordInput
                aria-label={`Value of header ${at + 1}`}
                placeholder={row.sealed ? 'Set. Type to replace.' : ''}
                autoComplete="off"
                style={{ flex: '2 1 12.5rem' }}
                {...form.getInputProps(`defaultHeaders.${at}.value`)}
              />
            ) : (
              <TextInput
                aria-label={`Value of header ${at + 1}`}
                style={{ flex: '2 1 12.5rem' }}
                {...form.getInputProps(`defaultHeaders.${at}.value`)}
              />
            )}
            <Checkbox
              mt={8}
              label="Secret"
              disabled={row.sealed}
              {...form.getInputProps(`defaultHeaders.${at}.secret`, { type: 'checkbox' })}
            />
            <ActionIcon
              mt={4}
              aria-label={`Remove header ${at + 1}`}
              onClick={() => form.removeListItem('defaultHeaders', at)}
            >
              <IconTrash size="1rem" aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size="0.875rem" aria-hidden />}
            onClick={() =>
              form.insertListItem('defaultHeaders', { name: '', value: '', secret: false, sealed: false })
            }
          >
            Add header
          </Button>
        </Group>
      </Stack>
    </Input.Wrapper>
  )
}
