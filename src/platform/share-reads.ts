/**
 * Concurrent callers share one read, and no answer is older than its question: whoever asks while a read is running waits for the
 * next one.
 */
export function shareReads<T>(read: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined
  let next: Promise<T> | undefined

  function start(): Promise<T> {
    next = undefined
    const mine = read().finally(() => {
      if (underWay === mine) underWay = undefined
    })
    underWay = mine
    return mine
  }

  return () => {
    if (!underWay) return start()
    next ??= underWay.then(start, start)
    return next
  }
}
