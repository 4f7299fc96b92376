import { useLocation } from '@tanstack/react-router'

/** The token of a one-time link. It is in the fragment, which browsers do not send, so no server on the way logs it. */
export function useOneTimeToken(): string | null {
  return useLocation({ select: ({ hash }) => new URLSearchParams(hash).get('token') })
}
