import { Button } from '@mantine/core'
import { useState } from 'react'
import { toolLabel } from '../../../src/shared/tool-label.ts'
import type { CallableTool } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { FilterSelect } from '../../ui/table/filter-select.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { useChannelChoices } from '../channels/use-channels.ts'
import { useStats } from '../status/use-stats.ts'

const costs = ['0.01', '0.1', '1', '10'].map((value) => ({ value, label: `$${value} or more` }))

const ratings = [
  { value: 'up', label: 'Good reply' },
  { value: 'down', label: 'Bad reply' },
]

/** What the server calls the agent that runs without a model. */
const offline = 'offline'

/** What few people filter by: shown once it is wanted, or set. */
export function MoreFilters() {
  const [channelId] = useFilter('channelId')
  const [toolId] = useFilter('toolId')
  const [model] = useFilter('model')
  const [minCost] = useFilter('minCost')
  const [thumb] = useFilter('thumb')
  const [isOpen, setIsOpen] = useState([channelId, toolId, model, minCost, thumb].some(Boolean))
  if (isOpen) return <Filters />
  return (
    <Button size="xs" variant="subtle" color="gray" onClick={() => setIsOpen(true)}>
      More filters
    </Button>
  )
}

function Filters() {
  const operator = useHasRole('operator')
  const [channelId, setChannelId] = useFilter('channelId')
  const [toolId, setToolId] = useFilter('toolId')
  const [model, setModel] = useFilter('model')
  const [minCost, setMinCost] = useFilter('minCost')
  const [thumb, setThumb] = useFilter('thumb')
  const channels = useChannelChoices(channelId ?? null)
  const tools = useOne<{ items: CallableTool[] }>(operator ? '/tools' : null)
  const models = useStats(720).data?.byModel.map((one) => one.model) ?? []
  return (
    <>
      <FilterSelect
        label="Channel"
        all="All channels"
        value={channelId}
        onChange={setChannelId}
        options={channels.data}
        onSearchChange={channels.onSearchChange}
      />
      {operator && (
        <FilterSelect
          label="Tool"
          all="All tools"
          value={toolId}
          onChange={setToolId}
          options={(tools.data?.items ?? []).map(({ id, name }) => ({ value: id, label: toolLabel(name) }))}
        />
      )}
      <FilterSelect
        label="Model"
        all="All models"
        value={model}
        onChange={setModel}
        options={[
          ...new Set([...models, ...(model ? [model] : [])].filter((one) => one !== offline)),
          { value: offline, label: 'Offline (no language model)' },
        ]}
      />
      <FilterSelect label="Cost" all="Any cost" value={minCost} onChange={setMinCost} options={costs} />
      <FilterSelect label="Rating" all="Any rating" value={thumb} onChange={setThumb} options={ratings} />
    </>
  )
}
