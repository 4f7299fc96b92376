/** Waits for a time or until it is woken. A call of wake while nobody waits ends the next wait at once. */
export function createWaker() {
  let isAwake = false
  let wakeUp: (() => void) | undefined
  return {
    wake(): void {
      isAwake = true
      wakeUp?.()
    },
    async wait(maxMs: number): Promise<void> {
      if (!isAwake && maxMs > 0) {
        const { promise, resolve } = Promise.withResolvers<void>()
        wakeUp = resolve
        const timer = setTimeout(resolve, maxMs)
        await promise
        clearTimeout(timer)
        wakeUp = undefined
      }
      isAwake = false
    },
  }
}
