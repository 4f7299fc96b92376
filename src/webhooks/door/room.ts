const mib = 1024 * 1024

/** Almost every event is smaller than this, and waits for nobody. */
const smallBytes = 64 * 1024

type Limits = {
  /** Larger bodies are read while all that is in memory stays below this; the others stay in line. */
  maxAnnouncedBytes: number
  /** Beyond this nothing more is taken in, announced or not. */
  maxHeldBytes: number
  maxInLine: number
  /** As long as senders wait for an answer: several of them never send again. */
  maxWaitMs: number
  /** From then on a slow sender has room only for what came from it. */
  slowAfterMs: number
}

const usual: Limits = {
  maxAnnouncedBytes: 16 * mib,
  maxHeldBytes: 64 * mib,
  maxInLine: 500,
  maxWaitMs: 10_000,
  slowAfterMs: 5_000,
}

export type Place = Disposable & {
  /** So much of the body has come by now. False where that is more than there is room for. */
  hold(bytes: number): boolean
}

export type Room = {
  /** A place for a body, 0 where its size is not known; null where the line is too long, or went on too slowly. */
  enter(announcedBytes: number): Place | null | Promise<Place | null>
}

/**
 * The memory for bodies, from their first byte until they are on disk. When many large ones come at once, they are read one after
 * another: the first are answered soon, rather than all of them late, and nobody fills the memory.
 */
export function openRoom(limits = usual): Room {
  let taken = 0
  const line: { bytes: number; start(): void }[] = []

  const fits = (bytes: number) => taken + bytes <= limits.maxAnnouncedBytes

  function take(announcedBytes: number): Place {
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
      [Symbol.dispose]() {
        clearTimeout(slow)
        count(0)
      },
    }
  }

  return {
    enter(announcedBytes) {
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
