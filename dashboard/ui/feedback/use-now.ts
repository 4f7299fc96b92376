import { useEffect, useState } from 'react'

/** The time, told again and again while something lasts. */
export function useNow(isLive = true, everyMs = 1000): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isLive) return
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [isLive, everyMs])
  return now
}
