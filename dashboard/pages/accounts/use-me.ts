import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { call } from '../../api.ts'
import { basePath } from '../../base-path.ts'
import type { Me, Role } from '../../contract.ts'
import { keepDraftsOf } from '../../ui/forms/drafts.ts'
import { keepOpenedOf } from '../../ui/layout/opened-pages.ts'
import { setLocale } from '../../ui/text/locale.ts'
import { roles } from './roles.ts'

export const meQuery = queryOptions({
  queryKey: ['/me'],
  queryFn: async ({ signal }) => {
    const me = await call<Me>('GET', '/me', undefined, signal)
    setLocale(me.locale ?? 'en-US')
    return me
  },
  staleTime: 60_000,
})

/** Who is signed in. The frame shows pages only when somebody is. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data
}

/** Whether to offer an action at all: nothing is offered that the server would refuse. */
export function useHasRole(role: Role): boolean {
  return isAtLeast(useMe().role, role)
}

export function isAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed)
}

export function useSignOut(): () => Promise<void> {
  const queries = useQueryClient()
  return async () => {
    await call<void>('DELETE', '/session')
    queries.clear()
    keepDraftsOf(null)
    keepOpenedOf(null)
    // A full page load, so that nothing of the former user stays in memory.
    location.assign(`${basePath}/sign-in`)
  }
}
