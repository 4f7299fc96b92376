/** A cache for what is costly to fetch and valid for a while: access tokens, the platforms' public keys. Lost at a restart. */
export type Cache = {
  getOrFetch<T>(key: string, ttlMs: number, get: () => Promise<T>): Promise<T>
}

const maxEntries = 5000

/** By the clock that nobody sets: after a step back of the other one, an access token would count as valid after its end. */
export function createCache(): Cache {
  const kept = new Map<string, { value: Promise<unknown>; until: number }>()
  function forgetOld(): void {
    for (const [key, { until }] of kept) if (until <= performance.now()) kept.delete(key)
    // Nothing has expired: drop the oldest, so that the cache is bounded.
    for (const key of kept.keys()) {
      if (kept.size < maxEntries) break
      kept.delete(key)
    }
  }
  return {
    async getOrFetch<T>(key: string, ttlMs: number, get: () => Promise<T>): Promise<T> {
      const known = kept.get(key)
      // Only this function writes under this key, always with what `get` returns.
      if (known && known.until > performance.now()) return known.value as Promise<T>
      const value = get()
      if (kept.size >= maxEntries) forgetOld()
      kept.set(key, { value, until: performance.now() + ttlMs })
      // Failures are not cached; another attempt may already have replaced this one.
      value.catch(() => kept.get(key)?.value === value && kept.delete(key))
      return value
    },
  }
}
