import { scanJson } from './scan-json.ts'

/**
 * JSON text in which whatever is nested deeper than `levels` is null; the same text if nothing is. Many parsers and walkers overflow
 * the stack on deep nesting, or take very long. Text that is not JSON is cut up to where it stops being so.
 */
export function cutNesting(text: string, levels: number): string {
  const body = Buffer.from(text)
  let kept = ''
  /** Where the text goes on after the last cut. */
  let from = 0
  scanJson(body, {
    open(at, depth) {
      if (depth !== levels) return
      kept += `${body.toString('utf8', from, at)}null`
      from = body.length
    },
    close(at, depth) {
      if (depth === levels) from = at + 1
    },
  })
  return kept === '' ? text : kept + body.toString('utf8', from)
}
