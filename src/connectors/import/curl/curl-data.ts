/** Text that is sent; null for the content of a file, which cannot be read. */
type Piece = string | null

/** What `-d`, `--json` and their relatives send, joined as curl joins it; `text` is null if nothing of it is known. */
export function curlData(options: readonly [option: string, value: string][]) {
  const pieces = options.flatMap(([option, value]) => readPieces(option, value))
  const known = pieces.filter((piece) => piece !== null)
  const isJson = options.some(([option]) => option === 'json')
  return {
    text: known.length > 0 ? known.join(isJson ? '' : '&') : null,
    hasFiles: known.length < pieces.length,
  }
}

function readPieces(option: string, value: string): Piece[] {
  switch (option) {
    case 'data':
    case 'data-ascii':
    case 'data-binary':
    case 'json':
      return [value.startsWith('@') ? null : value]
    case 'data-raw':
      return [value]
    case 'data-urlencode':
      return urlencoded(value)
    default:
      return []
  }
}

/** `content`, `=content`, `name=content`, `@file` or `name@file`. */
function urlencoded(text: string): Piece[] {
  const [name = '', content] = text.split(/=(.*)/s)
  if (content !== undefined) return [(name === '' ? '' : `${name}=`) + encodeURIComponent(content)]
  const [field = '', file] = text.split(/@(.*)/s)
  if (file === undefined) return [encodeURIComponent(text)]
  return field === '' ? [null] : [`${field}=`, null]
}

/** The part of the query that `--url-query` adds: like `--data-urlencode`, or as it is after a plus sign. */
export function urlQuery(text: string): string {
  if (text.startsWith('+')) return text.slice(1)
  return urlencoded(text).find((piece) => piece !== null) ?? ''
}
