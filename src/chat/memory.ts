/** Things that are costly to get and good for a while: access tokens, the platforms' public keys. Lost at a restart. */
export type Memory = {
  remember<T>(key: string, goodForMs: number, get: () => Promise<T>): Promise<T>
}

export function createMemory(now: () => Date): Memory {
  const kept = new Map<string, { value: Promise<unknown>; until: number }>()
  return {
    async remember<T>(key: string, goodForMs: number, get: () => Promise<T>): Promise<T> {
      const known = kept.get(key)
      // Only this function writes under this key, always with what `get` gives.
      if (known && known.until > now().getTime()) return known.value as Promise<T>
      const value = get()
      kept.set(key, { value, until: now().getTime() + goodForMs })
      // A failure is not worth remembering.
      value.catch(() => kept.delete(key))
      return value
    },
  }
}
