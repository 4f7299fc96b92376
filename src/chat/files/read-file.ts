import { runInThread, ThreadLimit, threadModule } from '../../platform/run-in-thread.ts'
import { sniffFile } from './sniff-file.ts'

/** What the agent gets of a file. Images have neither text nor problem. */
export type FileReading = { mediaType: string | null; text: string | null; problem: string | null }

const pdfProcessorMs = 5_000
const pdfThread = threadModule<typeof import('./read-pdf.ts')>(
  new URL('./read-pdf.ts', import.meta.url),
  pdfProcessorMs,
)
const textTypes: Record<string, string> = {
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  json: 'application/json',
  md: 'text/markdown',
}

export async function readFile(name: string, bytes: Buffer): Promise<FileReading> {
  const found = sniffFile(bytes)
  switch (found.kind) {
    case 'image':
      return { mediaType: found.mediaType, text: null, problem: null }
    case 'text': {
      const ending = name.split('.').at(-1)?.toLowerCase() ?? ''
      return { mediaType: textTypes[ending] ?? 'text/plain', text: found.text, problem: null }
    }
    case 'pdf':
      return await readPdfFile(bytes)
    case 'unreadable':
      return { mediaType: null, text: null, problem: found.problem }
    default:
      throw new Error(`Unhandled file ${found satisfies never}`)
  }
}

async function readPdfFile(bytes: Buffer): Promise<FileReading> {
  const unread = (problem: string) => ({ mediaType: 'application/pdf', text: null, problem })
  try {
    const { text, pages, readPages } = await runInThread(pdfThread, 'readPdf', [new Uint8Array(bytes)])
    if (text === '') return unread('the PDF has no text; perhaps its pages are scans')
    const rest = readPages < pages ? `\n\n[Only ${readPages} of its ${pages} pages were read.]` : ''
    return { mediaType: 'application/pdf', text: text + rest, problem: null }
  } catch (error) {
    if (error instanceof ThreadLimit) return unread(`reading the PDF took ${error.message}`)
    // Whatever is wrong with it, it came from outside.
    return unread('the PDF is damaged, or needs a password')
  }
}
