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
  /** As long as senders wait for an answer: several of them never retry. */
  maxWaitMs: number
  /** After this time a slow sender reserves only what it has sent so far. */
  slowAfterMs: number
}

const usual: Limits = {
  maxAnnouncedBytes: 32 * mib,
  maxHeldBytes: 64 * mib,
  maxInLine: 500,
  maxWaitMs: 10_000,
  slowAfterMs: 5_000,
}

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
export function openBodyMemory(limits = usual): BodyMemory {
  let taken = 0
  const line: { bytes: number; start(): void }[] = []

  const fits = (bytes: number) => taken + bytes <= limits.maxAnnouncedBytes

  function take(announcedBytes: number): Reservation {
    let counted = 0
    let held = 0
    function count(bytes: number): void {
      taken += bytes - counted
      counted = bytes
      for (let next = line[0]; next && fits(next.bytes); next = line[0]) {
        line.shift()
        next.start()
      }
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
      return new Promise((resolve) => {
        const waiter = {
          bytes: announcedBytes,
          start() {
            clearTimeout(timer)
            resolve(take(announcedBytes))
          },
        }
        const timer = setTimeout(() => {
          line.splice(line.indexOf(waiter), 1)
          resolve(null)
        }, limits.maxWaitMs)
        line.push(waiter)
      })
    },
  }
}
