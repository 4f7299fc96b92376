/** A PDF with one content stream for each page; `filter` names how they are compressed. */
export function makePdf(contents: readonly (string | Buffer)[], filter = ''): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')]
  const offsets: number[] = []
  let length = parts[0]?.length ?? 0
  const push = (part: Buffer) => {
    parts.push(part)
    length += part.length
  }
  const object = (id: number, ...content: (string | Buffer)[]) => {
    offsets[id] = length
    for (const part of [`${id} 0 obj\n`, ...content, '\nendobj\n']) push(Buffer.from(part))
  }
  const pageId = (at: number) => 4 + at * 2
  object(1, '<< /Type /Catalog /Pages 2 0 R >>')
  object(
    2,
    `<< /Type /Pages /Count ${contents.length} /Kids [${contents.map((_, at) => `${pageId(at)} 0 R`).join(' ')}] >>`,
  )
  object(3, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')
  for (const [at, content] of contents.entries()) {
    const stream = Buffer.from(content)
    const resources = '/Resources << /Font << /F1 3 0 R >> >>'
    object(
      pageId(at),
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] ${resources} /Contents ${pageId(at) + 1} 0 R >>`,
    )
    object(pageId(at) + 1, `<< /Length ${stream.length} ${filter} >>\nstream\n`, stream, '\nendstream')
  }
  const begin = length
  const rows = offsets.slice(1).map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`)
  push(Buffer.from(`xref\n0 ${offsets.length}\n0000000000 65535 f \n${rows.join('')}`))
  push(Buffer.from(`trailer\n<< /Size ${offsets.length} /Root 1 0 R >>\nstartxref\n${begin}\n%%EOF\n`))
  return Buffer.concat(parts)
}

export function pageSaying(text: string): string {
  return `BT /F1 12 Tf 10 100 Td (${text}) Tj ET`
}
