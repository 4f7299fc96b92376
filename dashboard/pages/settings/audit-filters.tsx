import type { AuditFilters as Filters } from '../../contract.ts'
import { useOne } from '../../hooks/use-api.ts'
import { useFilter } from '../../hooks/use-filter.ts'
import { FilterSelect } from '../../ui/table/filter-select.tsx'
import { capitalize } from '../../ui/text/capitalize.ts'

/** Who did what: only people and actions that the log knows. */
export function AuditFilters() {
  const [actorId, setActorId] = useFilter('actorId')
  const [action, setAction] = useFilter('action')
  const { data } = useOne<Filters>('/audit/filters')
  const actions = data?.actions ?? []
  const nouns = [...new Set(actions.map((one) => one.split('.')[0] ?? one))]
  return (
    <>
      <FilterSelect
        label="Who"
        all="Everybody"
        value={actorId}
        onChange={setActorId}
        options={(data?.actors ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      />
      <FilterSelect
        label="Action"
        all="All actions"
        value={action}
        onChange={setAction}
        options={nouns.flatMap((noun) => [
          { value: noun, label: `${nameOf(noun)}: all` },
          ...actions
            .filter((one) => one.startsWith(`${noun}.`))
            .map((one) => ({ value: one, label: `${nameOf(noun)}: ${spaced(one.slice(noun.length + 1))}` })),
        ])}
      />
    </>
  )
}

const spaced = (words: string) => words.replaceAll(/[_-]/g, ' ').replace('cancelled', 'canceled')
const nameOf = (noun: string) =>
  capitalize(spaced(noun).replace(/^(api|oidc|totp)\b/, (word) => word.toUpperCase()))
