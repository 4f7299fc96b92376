import { z } from 'zod'

const text = z.string().catch('').default('')

/** What apps attach to a message: Slack's older form, which Mattermost has too. Alerts often have nothing else. */
export const attachmentShape = z.looseObject({
  pretext: text,
  author_name: text,
  title: text,
  title_link: text,
  text,
  fallback: text,
  footer: text,
  fields: z
    .array(z.looseObject({ title: text, value: z.unknown().optional() }))
    .nullish()
    .catch(null),
  actions: z
    .array(z.looseObject({ text, name: text, url: text }))
    .nullish()
    .catch(null),
})
type Attachment = z.output<typeof attachmentShape>

/** As Markdown. `readText` turns the platform's own markup into it. The fallback counts only if there is nothing else. */
export function readAttachment(attachment: Attachment, readText: (text: string) => string): string {
  const { pretext, author_name: author, title, title_link: link, text: body, footer } = attachment
  const lines = [
    ...[pretext, author].map(readText),
    link === '' ? readText(title) : writeLink(readText(title) || link, link),
    readText(body),
    ...(attachment.fields ?? []).map(({ title: name, value }) =>
      [readText(name), readText(String(value ?? ''))].filter(Boolean).join(': '),
    ),
    ...(attachment.actions ?? []).map(({ text: label, name, url }) =>
      url === '' ? '' : writeLink(label || name || url, url),
    ),
    readText(footer),
  ].filter((line) => line.trim() !== '')
  return lines.length > 0 ? lines.join('\n') : readText(attachment.fallback)
}

/** The address of a button is often all that an alert says about where to look. */
export function writeLink(label: string, url: string): string {
  return label === url ? url : `[${label}](${url})`
}
