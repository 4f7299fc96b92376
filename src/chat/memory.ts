/** A cache for what is costly to fetch and valid for a while: access tokens, the platforms' public keys. Lost at a restart. */
export type Memory = {
  remember<T>(key: string, goodForMs: number, get: () => Promise<T>): Promise<T>
}

const mostKept = 5000

export function createMemory(now: () => Date): Memory {
  const kept = new Map<string, { value: Promise<unknown>; until: number }>()
  function forgetOld(): void {
    for (const [key, { until }] of kept) if (until <= now().getTime()) kept.delete(key)
    // Nothing has expired: drop the oldest, so that the cache is bounded.
    for (const key of kept.keys()) {
      if (kept.size < mostKept) break
      kept.delete(key)
    }
  }
  return {
    async remember<T>(key: string, goodForMs: number, get: () => Promise<T>): Promise<T> {
      const known = kept.get(key)
      // Only this function writes under this key, always with what `get` returns.
      if (known && known.until > now().getTime()) return known.value as Promise<T>
      const value = get()
      if (kept.size >= mostKept) forgetOld()
      kept.set(key, { value, until: now().getTime() + goodForMs })
      // Failures are not cached; another attempt may already have replaced this one.
      value.catch(() => kept.get(key)?.value === value && kept.delete(key))
      return value
    },
  }
}
