import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useHasRole } from '../pages/accounts/use-me.ts'
import { navItems } from './sidebar.tsx'

const typing = 'input, textarea, select, [contenteditable=true], [role=dialog]'

/** `g` and the letter of a page. Before all other keys: `g a` opens the approvals, and approves nothing. */
export function useGoKeys(): void {
  const navigate = useNavigate()
  const operator = useHasRole('operator')
  useEffect(() => {
    let isBegun = false
    const onKeyDown = (event: KeyboardEvent) => {
      const isSecond = isBegun
      isBegun = false
      const isTyped = event.target instanceof Element && event.target.closest(typing) !== null
      if (isTyped || event.ctrlKey || event.metaKey || event.altKey) return
      if (!isSecond) {
        isBegun = event.key === 'g'
        return
      }
      const place = navItems.find(({ key }) => key === event.key)
      if (!place || ('role' in place && !operator)) return
      event.preventDefault()
      event.stopImmediatePropagation()
      void navigate({ to: place.to })
    }
    addEventListener('keydown', onKeyDown, true)
    return () => removeEventListener('keydown', onKeyDown, true)
  }, [navigate, operator])
}
