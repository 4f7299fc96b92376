/**
 * Many who ask at once share one read, and nobody gets an answer that is older than the question: who comes while a read is
 * under way waits for the next one.
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
