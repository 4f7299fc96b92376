import { Stack, Textarea, TextInput, Title } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import type { Settings } from '../../contract.ts'
import { changedFieldsDeep, isFields } from '../../ui/forms/merge-server-values.ts'
import { NumberFields } from '../../ui/forms/number-fields.tsx'
import { TimeZoneSelect } from '../../ui/forms/time-zone-select.tsx'
import { RehearsedFoot } from '../rehearsals/rehearsed-foot.tsx'
import { useRehearse } from '../rehearsals/use-rehearse.ts'
import type { SettingsFields } from './settings-fields.ts'
import { useSettingsForm } from './use-settings-form.ts'

type Props = {
  /** Names the draft in this browser tab. */
  name: string
  settings: Settings
  fields: SettingsFields
  onSaved: () => void
  save?: string
  children?: ReactNode
}

/** A form over some fields of the settings. */
export function SettingsCard({ name, settings, fields, onSaved, save = 'Save', children }: Props) {
  const { form, submit, saving } = useSettingsForm({
    key: `settings:${name}`,
    settings,
    toValues: (all) => pick(all, fields),
    toPatch: changedFieldsDeep,
    onSaved,
  })
  const { instructions } = asFields(form.values.agent)
  const rehearsing = useRehearse(
    instructions === undefined ? null : 'choose',
    instructions === settings.agent.instructions ? {} : { instructions },
  )
  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack maw={720}>
        {fields.map(({ title, texts = [], numbers = [] }) => (
          <Fragment key={title ?? ''}>
            {title && <Title order={2}>{title}</Title>}
            {texts.map(({ path, rows, isTimeZone, ...text }) =>
              isTimeZone ? (
                <TimeZoneSelect key={path} {...text} {...form.getInputProps(path)} />
              ) : rows ? (
                <Textarea
                  key={path}
                  autosize
                  minRows={rows}
                  maxRows={20}
                  {...text}
                  {...form.getInputProps(path)}
                />
              ) : (
                <TextInput key={path} {...text} {...form.getInputProps(path)} />
              ),
            )}
            {numbers.length > 0 && <NumberFields form={form} fields={numbers} />}
          </Fragment>
        ))}
        <RehearsedFoot save={save} form={form} saving={saving} rehearsing={rehearsing}>
          {children}
        </RehearsedFoot>
      </Stack>
    </form>
  )
}

type Values = Record<string, unknown>

function pick(settings: Values, fields: SettingsFields): Values {
  const values: Values = {}
  for (const { path } of fields.flatMap(({ texts = [], numbers = [] }) => [...texts, ...numbers])) {
    const [group = '', name] = path.split('.')
    values[group] = name
      ? { ...asFields(values[group]), [name]: asFields(settings[group])[name] }
      : settings[group]
  }
  return values
}

function asFields(group: unknown): Values {
  return isFields(group) ? group : {}
}
