import { byte } from '../../../platform/json/scan-json.ts'

const linesAtOnce = 100
const carriageReturn = 0x0d

/** Pieces of at most a hundred lines. A stream of events ends lines with either character, or both. */
export function cutLines(chunk: Uint8Array): Uint8Array[] {
  const pieces: Uint8Array[] = []
  let from = 0
  let lines = 0
  for (let at = 0; at < chunk.length; at++) {
    if (chunk[at] !== byte.newline && chunk[at] !== carriageReturn) continue
    if (++lines % linesAtOnce > 0) continue
    pieces.push(chunk.subarray(from, at + 1))
    from = at + 1
  }
  if (from < chunk.length) pieces.push(chunk.subarray(from))
  return pieces
}
