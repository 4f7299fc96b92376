import { createContext, useContext, useMemo } from 'react'
import { namePattern } from '../../../src/shared/name-pattern.ts'
import { itemsOf, useList } from '../../hooks/use-api.ts'
import { markNames, type Name } from '../../ui/code/mark-names.ts'
import { useMe } from '../accounts/use-me.ts'
import { useChannels } from './use-channels.ts'

type Names = ReturnType<typeof markNames>

/** For the names in messages. */
export const NamesContext = createContext<Names | undefined>(undefined)

export const useNames = () => useContext(NamesContext)

/** People, the agent and the channels of the workspace, as far as a page of each goes. */
export function useReadNames(workspaceId: string | undefined): Names {
  const me = useMe()
  const { data: people } = useList<{ name: string }>('/people', { limit: '100' })
  const { data: channels } = useChannels()
  const known: [string, Name][] = [
    ['@bellhop', {}],
    ...itemsOf({ data: people }).map(({ name }): [string, Name] => [`@${name}`, {}]),
    [`@${me.name}`, { isOwn: true }],
    ...itemsOf({ data: channels })
      .filter(({ workspace }) => workspace === workspaceId)
      .map(({ id, name }): [string, Name] => [`#${name}`, { to: `/channels/${id}` }]),
  ]
  // Channels change with each message, their names seldom: texts need not be read anew.
  const text = JSON.stringify(known)
  return useMemo(() => {
    const names = new Map(JSON.parse(text) as typeof known) // what was just written
    return markNames(names, namePattern(names.keys()))
  }, [text])
}
