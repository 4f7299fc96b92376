/** Ends a call whose server is silent for too long, or takes too long in all. It can stand still while a person is asked. */
export function startSilenceClock(silenceMs: number, totalMs: number, onTimeout: () => void) {
  let spentMs = 0
  let since = performance.now()
  let timer: NodeJS.Timeout | undefined

  function start(): void {
    since = performance.now()
    timer = setTimeout(onTimeout, Math.max(0, Math.min(silenceMs, totalMs - spentMs)))
  }
  function stop(): void {
    if (timer) spentMs += performance.now() - since
    clearTimeout(timer)
    timer = undefined
  }
  start()
  return {
    start,
    stop,
    /** The server said something. Nothing happens while the clock stands. */
    hear() {
      if (!timer) return
      stop()
      start()
    },
  }
}
