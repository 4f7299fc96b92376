import { Radio, Select, Stack, Text } from '@mantine/core'
import type { DraftForm } from '../../../../ui/forms/use-draft-form.ts'
import { capitalize } from '../../../../ui/text/capitalize.ts'
import { useHasRole } from '../../../accounts/use-me.ts'
import { capabilityLabels } from '../../../tools/capability-badge.tsx'
import {
  capabilityOrder,
  defaultPermission,
  permissionLabels,
  permissionOrder,
} from '../../../tools/permission-labels.ts'
import { isLooser, rightsProblems } from './tool-rights.ts'
import { defaultCapability, type ToolValues } from './tool-values.ts'

type Props = { form: DraftForm<ToolValues>; before: ToolValues | null }

/** What the tool may do, and what permission a call needs. */
export function ToolRightsFields({ form, before }: Props) {
  const admin = useHasRole('admin')
  const { capability, method, permission } = form.values
  return (
    <>
      <Radio.Group label="Capability" {...form.getInputProps('capability')}>
        <Stack gap={8} mt={4}>
          {capabilityOrder.map((value) => (
            <Radio
              key={value}
              value={value}
              label={capitalize(value)}
              description={capabilityLabels[value]}
              disabled={
                !admin && 'capability' in rightsProblems(before, { ...form.values, capability: value })
              }
            />
          ))}
        </Stack>
      </Radio.Group>
      {capability === 'read' && defaultCapability(method) !== 'read' && (
        <Text size="xs" c="var(--waiting)">
          A {method} request marked as read runs without approval. Use this only if it changes nothing, like a
          search.
        </Text>
      )}
      <Select
        label="Permission"
        description="Who must agree before each call. Only admins can relax it."
        clearable
        placeholder={`Default for ${capability}: ${permissionLabels[defaultPermission[capability]]}`}
        data={permissionOrder.map((value) => ({
          value,
          label: permissionLabels[value],
          disabled: !admin && isLooser(value, capability),
        }))}
        value={permission === '' ? null : permission}
        onChange={(value) => form.setFieldValue('permission', (value ?? '') as ToolValues['permission'])} // as offered
        error={form.errors.permission}
      />
    </>
  )
}
