/** A part of the text that is replaced, and what is selected then. */
type Edit = { from: number; to: number; text: string; selected: [from: number, to: number] }
type FormatText = (text: string, from: number, to: number) => Edit

/** Puts marks around the selection, or takes them away. */
function wrap(mark: string): FormatText {
  return (text, start, end) => {
    const chosen = text.slice(start, end)
    // A double click takes the space after the word, too, where Markdown would not end.
    const from = start + (chosen.length - chosen.trimStart().length)
    const to = Math.max(from, end - (chosen.length - chosen.trimEnd().length))
    const inner = text.slice(from, to)
    const [outerFrom, outerTo] = [from - mark.length, to + mark.length]
    if (outerFrom >= 0 && text.slice(outerFrom, from) === mark && text.slice(to, outerTo) === mark) {
      return { from: outerFrom, to: outerTo, text: inner, selected: [outerFrom, outerFrom + inner.length] }
    }
    const selected: Edit['selected'] = [from + mark.length, to + mark.length]
    return { from, to, text: mark + inner + mark, selected }
  }
}

/** Several lines are a block. */
const code: FormatText = (text, from, to) => {
  const inner = text.slice(from, to)
  if (!inner.includes('\n')) return wrap('`')(text, from, to)
  const before = from === 0 || text[from - 1] === '\n' ? '```\n' : '\n```\n'
  return {
    from,
    to,
    text: `${before}${inner}\n\`\`\`\n`,
    selected: [from + before.length, to + before.length],
  }
}

/** What is still missing, the words or the address, is selected to be typed over. */
export function link(address = 'https://'): FormatText {
  return (text, from, to) => {
    const words = text.slice(from, to)
    const start = from + words.length + 3
    const isWhole = words !== '' && address !== 'https://'
    const end = start + address.length
    return {
      from,
      to,
      text: `[${words}](${address})`,
      selected: isWhole ? [end + 1, end + 1] : words === '' ? [from + 1, from + 1] : [start, end],
    }
  }
}

/** Begins each line of the selection with a mark, or takes it away. */
function prefix(mark: string): FormatText {
  return (text, start, to) => {
    const from = text.lastIndexOf('\n', start - 1) + 1
    const lines = text.slice(from, to).split('\n')
    const isOn = lines.every((line) => line.startsWith(mark))
    const changed = lines.map((line) => (isOn ? line.slice(mark.length) : mark + line)).join('\n')
    const end = from + changed.length
    return { from, to, text: changed, selected: [lines.length > 1 ? from : end, end] }
  }
}

export const formats = [
  { name: 'Bold', keys: 'mod+B', format: wrap('**') },
  { name: 'Italic', keys: 'mod+I', format: wrap('_') },
  { name: 'Code', keys: 'mod+shift+C', format: code },
  { name: 'Link', keys: 'mod+shift+U', format: link() },
  { name: 'List', keys: 'mod+shift+8', format: prefix('- ') },
  { name: 'Quote', keys: 'mod+shift+9', format: prefix('> ') },
] as const

/** As if it were typed, so that the browser can undo it. */
export function formatSelection(box: HTMLTextAreaElement, format: FormatText): void {
  const { from, to, text, selected } = format(box.value, box.selectionStart, box.selectionEnd)
  box.focus()
  box.setSelectionRange(from, to)
  // Deprecated, and without a successor.
  document.execCommand(text === '' ? 'delete' : 'insertText', false, text)
  box.setSelectionRange(...selected)
}
