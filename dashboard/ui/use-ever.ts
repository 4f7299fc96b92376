import { useState } from 'react'

/** True from the first time on that it is true: what is loaded on demand stays afterwards. */
export function useEver(now: boolean): boolean {
  const [ever, setEver] = useState(now)
  if (now && !ever) setEver(true)
  return ever
}
