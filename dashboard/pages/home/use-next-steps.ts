import { isEmpty } from '../../ui/table/list-view.tsx'
import { useHasRole } from '../accounts/use-me.ts'
import { useConnectorStates } from '../connectors/use-connectors.ts'
import { useSettings } from '../settings/use-settings.ts'
import type { Need } from './use-needs.ts'

/** What a new installation lacks before the agent can do real work, for people who may change that. Null until loaded. */
export function useNextSteps(): Need[] | null {
  const admin = useHasRole('admin')
  const operator = useHasRole('operator')
  const settings = useSettings()
  const connectors = useConnectorStates(operator)
  if (operator && (settings.isPending || connectors.isPending)) return null
  const steps: Need[] = []
  if (admin && settings.data?.model.provider === 'offline') {
    steps.push({
      id: 'model',
      kind: 'next',
      to: '/settings/model',
      words: 'Choose a language model so the agent can understand events and write its own replies',
    })
  }
  if (operator && connectors.data && isEmpty(connectors)) {
    steps.push({
      id: 'connector',
      kind: 'next',
      to: '/connectors/import',
      words: 'Connect an API so the agent can look things up and, with approval, act',
    })
  }
  return steps
}
