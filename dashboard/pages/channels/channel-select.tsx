import { Loader, Select, type SelectProps } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api.ts'
import type { Channel } from '../../contract.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useChannelChoices } from './use-channels.ts'

type Props = Pick<
  SelectProps,
  'label' | 'description' | 'placeholder' | 'withAsterisk' | 'clearable' | 'error' | 'onBlur'
> & {
  value: string
  onChange: (channelId: string) => void
}

const toCreate = 'create:'

/** Picks a channel, or creates the one whose name is typed. */
export function ChannelSelect({ value, onChange, ...props }: Props) {
  const queries = useQueryClient()
  const [typed, setTyped] = useState('')
  const { data, onSearchChange, ...choices } = useChannelChoices(value)
  const create = useAction(async (name: string) => {
    const { id } = await call<Channel>('POST', '/channels', { name })
    await queries.invalidateQueries({ queryKey: ['/channels'] })
    onChange(id)
  })
  const name = typed.trim().replace(/^#/, '')
  const isThere = data.some(({ label }) => label.toLowerCase() === `#${name.toLowerCase()}`)
  return (
    <Select
      {...choices}
      {...props}
      allowDeselect={false}
      data={name === '' || isThere ? data : [...data, { value: toCreate, label: `Create #${name}` }]}
      value={value}
      disabled={create.isPending}
      rightSection={create.isPending ? <Loader size={14} color="gray" /> : undefined}
      onSearchChange={(words) => {
        setTyped(words)
        onSearchChange(words)
      }}
      onChange={(chosen) => {
        if (chosen === toCreate) create.mutate(name)
        else onChange(chosen ?? '')
      }}
    />
  )
}
