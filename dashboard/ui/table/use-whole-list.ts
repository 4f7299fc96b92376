import { createContext, useContext, useEffect } from 'react'

type More = {
  hasNextPage: boolean
  isFetching: boolean
  isError: boolean
  fetchNextPage(): Promise<unknown>
}

/** The list that a table shows, as far as it is loaded. */
export const LoadedList = createContext<More | null>(null)

/** More rows are not loaded only to be sorted. */
const most = 1000

/** Loads the rest of the list if the table is sorted here and not by the server. Returns whether some of it is missing. */
export function useWholeList(isNeeded: boolean, rows: number): boolean {
  const list = useContext(LoadedList)
  const isMissing = isNeeded && list?.hasNextPage === true
  const goesOn = isMissing && rows < most && !list.isError && !list.isFetching
  useEffect(() => {
    if (goesOn) void list.fetchNextPage()
  }, [goesOn, list])
  return isMissing
}
