import { getDocumentProxy } from 'unpdf'

/** More is not read: the agent reads a file page by page, and nobody attaches a library. */
const mostPages = 300
const mostCharacters = 2_000_000

type PdfText = { text: string; pages: number; readPages: number }

/** Runs in a thread of its own, with a limit of time and memory: a PDF is a program, written by anybody. */
export async function readPdf(bytes: Uint8Array): Promise<PdfText> {
  const document = await getDocumentProxy(bytes, { verbosity: 0, useSystemFonts: false, stopAtErrors: false })
  const pages = document.numPages
  let text = ''
  let hasText = false
  let readPages = 0
  while (readPages < Math.min(pages, mostPages) && text.length < mostCharacters) {
    readPages++
    const page = await document.getPage(readPages)
    const { items } = await page.getTextContent()
    const words = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
    hasText ||= words.trim() !== ''
    text += `${text === '' ? '' : '\n\n'}[Page ${readPages}]\n${words.trim()}`
    page.cleanup()
  }
  return { text: hasText ? text.slice(0, mostCharacters).toWellFormed() : '', pages, readPages }
}
