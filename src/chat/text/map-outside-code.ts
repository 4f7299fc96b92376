/** Applies `change` to Markdown outside code: fenced blocks and inline code stay as they are. */
export function mapOutsideCode(markdown: string, change: (text: string) => string): string {
  const pieces: string[] = []
  let prose: string[] = []
  let fence: string | null = null
  const flush = () => {
    if (prose.length > 0) pieces.push(mapOutsideInlineCode(prose.join('\n'), change))
    prose = []
  }
  for (const line of markdown.split('\n')) {
    const mark: string | undefined = line.match(/^ {0,3}(`{3,}|~{3,})/)?.[1]
    if (fence === null && mark) {
      flush()
      fence = mark
      pieces.push(line)
    } else if (fence !== null) {
      pieces.push(line)
      if (mark && closes(fence, line)) fence = null
    } else {
      prose.push(line)
    }
  }
  flush()
  return pieces.join('\n')
}

/** CommonMark: a fence is closed by at least as many of the same character, alone on the line. */
export function closes(fence: string, line: string): boolean {
  const mark = line.trim()
  return mark.length >= fence.length && mark === fence.charAt(0).repeat(mark.length)
}

function mapOutsideInlineCode(text: string, change: (text: string) => string): string {
  // A run of backticks is closed by a run of the same length.
  const code = /(?<!`)(`+)(?!`)([\s\S]*?[^`])\1(?!`)/g
  let done = ''
  let from = 0
  for (const match of text.matchAll(code)) {
    done += change(text.slice(from, match.index)) + match[0]
    from = match.index + match[0].length
  }
  return done + change(text.slice(from))
}
