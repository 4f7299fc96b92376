import { useLocation } from '@tanstack/react-router'

/** The token of a one-time link. It is in the fragment, which browsers keep to themselves, so that no log on the way gets it. */
export function useOneTimeToken(): string | null {
  return useLocation({ select: ({ hash }) => new URLSearchParams(hash).get('token') })
}
