import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useStillOnPage } from './use-still-on-page.ts'

/**
 * A filter kept in the URL, so that a link shows what its sender saw. Use `push` for what looks like another page, so that the
 * browser's back button returns from it.
 */
export function useFilter(
  name: string,
  change: 'replace' | 'push' = 'replace',
): [value: string | undefined, set: (value: string | null) => void] {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const isStillOnPage = useStillOnPage()
  const value = search[name]
  return [
    value === undefined || value === null ? undefined : String(value),
    (next) => {
      // Another page has filters of its own.
      if (!isStillOnPage()) return
      void navigate({
        to: '.',
        search: (old: Record<string, unknown>) => ({ ...old, [name]: next ?? undefined }),
        replace: change === 'replace',
      })
    },
  ]
}

/** One of a few choices, kept in the URL; the first is the default. */
export function useUrlChoice<const Choice extends string>(
  name: string,
  choices: readonly [Choice, ...Choice[]],
): [chosen: Choice, choose: (choice: string | null) => void] {
  const [value, set] = useFilter(name)
  const [first] = choices
  return [
    choices.find((choice) => choice === value) ?? first,
    (choice) => set(choice === first ? null : choice),
  ]
}

/** A path parameter from routes.tsx. */
export function useParam(name: string): string {
  const params: Record<string, string | undefined> = useParams({ strict: false })
  const value = params[name]
  if (value === undefined) throw new Error(`This route has no $${name}`)
  return value
}
