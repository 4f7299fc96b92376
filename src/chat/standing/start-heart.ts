import type { Line } from './open-line.ts'

type Rhythm = { firstMs: number; everyMs: number }

/** A line can be dead without being closed: if no answer comes between two heartbeats, we close it. */
export function startHeart() {
  let isAnswered = true
  let isSilent = false
  let timer: NodeJS.Timeout | undefined
  return {
    beat(line: Line, { firstMs, everyMs }: Rhythm, send: () => void): void {
      const again = () => {
        isSilent = !isAnswered
        if (isSilent) return line.close()
        isAnswered = false
        send()
        timer = setTimeout(again, everyMs)
      }
      timer = setTimeout(again, firstMs)
    },
    hearAnswer(): void {
      isAnswered = true
    },
    isSilent: () => isSilent,
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}
