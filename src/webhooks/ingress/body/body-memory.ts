const mib = 1024 * 1024

/** Almost every event is smaller than this, and never waits. */
const smallBytes = 64 * 1024

type Limits = {
  /**
   * Larger bodies are read while everything in memory stays below this; others wait in line. Twice the largest allowed body, which
   * would otherwise wait until nothing else is being stored, with everybody behind it.
   */
  maxAnnouncedBytes: number
  /** Beyond this nothing more is accepted, declared or not. */
  maxHeldBytes: number
  maxInLine: number
  /** Some senders wait 10 s for their answer, and never retry. */
  maxWaitMs: number
  /** After this time a slow sender reserves only what it has sent so far. */
  slowAfterMs: number
}

const usual: Limits = {
  maxAnnouncedBytes: 32 * mib,
  maxHeldBytes: 64 * mib,
  maxInLine: 500,
  maxWaitMs: 8_000,
  slowAfterMs: 5_000,
}

/** The rate of a shorter time says little. */
const learnMs = 500

export type Reservation = {
  /** Called with the bytes received so far. False if that is more than there is room for. */
  hold(bytes: number): boolean
  release(): void
}

export type BodyMemory = {
  /** Memory for a body, 0 if its size is unknown; null if the queue is too long, or moves too slowly. */
  reserve(announcedBytes: number): Reservation | null | Promise<Reservation | null>
}

/**
 * The memory for bodies, from their first byte until they are on disk. When many large ones arrive at once, they are read one
 * after another: the first are answered soon instead of all of them late, and nobody fills the memory.
 */
export function openBodyMemory(limits = usual, now = () => performance.now()): BodyMemory {
  let taken = 0
  const line: { bytes: number; since: number; start(): void; refuse(): void }[] = []
  /** When somebody began to wait, and how much memory has become free since. */
  let lineSince = 0
  let freed = 0

  const fits = (bytes: number) => taken + bytes <= limits.maxAnnouncedBytes

  /** At the rate so far, the last in line would wait too long: it may as well be told now. */
  function refuseLate(): void {
    const time = now()
    if (freed === 0 || time - lineSince < learnMs) return
    const perMs = freed / (time - lineSince)
    let ahead = line.reduce((sum, { bytes }) => sum + bytes, taken - limits.maxAnnouncedBytes)
    for (let last = line.at(-1); last; last = line.at(-1)) {
      if (ahead <= perMs * (last.since + limits.maxWaitMs - time)) return
      ahead -= last.bytes
      last.refuse()
    }
  }

  function take(announcedBytes: number): Reservation {
    let counted = 0
    let held = 0
    function count(bytes: number): void {
      taken += bytes - counted
      freed += Math.max(0, counted - bytes)
      counted = bytes
      for (let next = line[0]; next && fits(next.bytes); next = line[0]) {
        line.shift()
        next.start()
      }
      refuseLate()
    }
    count(announcedBytes)
    const slow = announcedBytes > 0 ? setTimeout(() => count(held), limits.slowAfterMs) : undefined
    return {
      hold(bytes) {
        held = bytes
        if (held <= counted) return true
        count(held)
        return taken <= limits.maxHeldBytes
      },
      release() {
        clearTimeout(slow)
        count(0)
      },
    }
  }

  return {
    reserve(announcedBytes) {
      if (announcedBytes <= smallBytes) return take(0)
      if (line.length === 0 && fits(announcedBytes)) return take(announcedBytes)
      if (line.length >= limits.maxInLine) return null
      if (line.length === 0) {
        lineSince = now()
        freed = 0
      }
      return new Promise((resolve) => {
        const waiter = {
          bytes: announcedBytes,
          since: now(),
          start() {
            clearTimeout(timer)
            resolve(take(announcedBytes))
          },
          refuse() {
            clearTimeout(timer)
            line.splice(line.indexOf(waiter), 1)
            resolve(null)
          },
        }
        const timer = setTimeout(waiter.refuse, limits.maxWaitMs)
        line.push(waiter)
        refuseLate()
      })
    },
  }
}
