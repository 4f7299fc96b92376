import type { Query, QueryClient } from '@tanstack/react-query'

/** The ids that changed, by kind; null if anything of that kind may have. */
type Changed = Record<string, string[] | null>

/** Other lists, and their entries, that show part of what changed. */
const alsoShownIn: Record<string, string[]> = {
  runs: ['/stats'],
  events: ['/stats', '/webhooks', '/schedules'],
  rehearsals: ['/cases'],
  workspaces: ['/channels'],
  users: ['/api-keys', '/me'],
  'api-keys': ['/users'],
}

/** A busy installation changes all the time; nobody reads faster than this. */
const gapMs = 1000

/** Reloads what the page shows of the changed things: at once after a quiet time, else once a second. */
export function refreshChanged(queries: QueryClient) {
  let due: Changed | 'everything' = {}
  let unfinished = new Set<Query>()
  let timer: ReturnType<typeof setTimeout> | undefined

  function refresh(): void {
    timer = undefined
    const affected = queries.getQueryCache().findAll({
      predicate: (query) =>
        unfinished.has(query) || due === 'everything' || isAbout(String(query.queryKey[0]), due),
    })
    due = {}
    // A read in progress may have started before the change, so it is repeated afterwards.
    unfinished = new Set(affected.filter(({ state }) => state.fetchStatus === 'fetching'))
    for (const query of affected) {
      if (!unfinished.has(query)) {
        const refetchType = isPagedBack(query) ? 'none' : 'active'
        void queries.invalidateQueries({ queryKey: query.queryKey, exact: true, refetchType })
      }
    }
    if (affected.length > 0) timer = setTimeout(refreshIfDue, gapMs)
  }

  function refreshIfDue(): void {
    timer = undefined
    if (unfinished.size > 0 || Object.keys(due).length > 0) refresh()
  }

  return {
    /** Nobody knows what changed: news may have been missed. */
    noteEverything() {
      due = 'everything'
      if (timer === undefined) refresh()
    },
    note(changed: Changed) {
      if (due === 'everything') return
      for (const [kind, ids] of Object.entries(changed)) {
        const known = due[kind]
        due[kind] = ids === null || known === null ? null : [...(known ?? []), ...ids]
      }
      if (timer === undefined) refresh()
    },
    stop: () => clearTimeout(timer),
  }
}

function isAbout(path: string, changed: Changed): boolean {
  const [place = ''] = path.split('?')
  const [list] = /^\/[^/]+(?=$|\/[^/]+$)/.exec(place) ?? []
  return Object.entries(changed).some(
    ([kind, ids]) =>
      place === `/${kind}` ||
      (list !== undefined && alsoShownIn[kind]?.includes(list)) ||
      (ids === null
        ? // The bytes of an event never change.
          place.startsWith(`/${kind}/`) && !place.endsWith('/body')
        : ids.some((id) => place === `/${kind}/${id}` || place.startsWith(`/${kind}/${id}/`))),
  )
}

type Pages = { state: { data: unknown }; meta?: Record<string, unknown> | undefined }

/** Somebody who pages back reads the past; reloading all of it would help nobody, unless the list is of what is the case now. */
export function isPagedBack({ state, meta }: Pages): boolean {
  if (meta?.ofNow) return false
  const pages = (state.data as { pages?: unknown[] } | undefined)?.pages // only lists have pages
  return (pages?.length ?? 0) > 2
}
