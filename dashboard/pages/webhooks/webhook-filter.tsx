import { FilterSelect } from '../../ui/table/filter-select.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { useWebhookChoices } from './use-webhooks.ts'

type Props = { value: string | undefined; onChange: (value: string | null) => void }

export function WebhookFilter({ value, onChange }: Props) {
  const { data, onSearchChange } = useWebhookChoices(value)
  if (!useHasRole('operator')) return null
  return (
    <FilterSelect
      label="Webhook"
      all="All webhooks"
      value={value}
      onChange={onChange}
      options={data}
      onSearchChange={onSearchChange}
    />
  )
}
