import { mapOutsideCode } from './map-outside-code.ts'

const invisible = '\u200b'

/**
 * Text of a model, made harmless before it is shown to many: nobody is called by `@everyone` and the like, and no image
 * is loaded from somewhere, since its address could carry out what the model has read. What code shows stays as it is,
 * but for mentions: some platforms act on them even there.
 */
export function cleanReply(markdown: string): string {
  return mapOutsideCode(markdown, dropRemoteImages)
    .replaceAll(/@(?=(everyone|here|channel|all)\b)/gi, `@${invisible}`)
    .replaceAll(/<(?=![a-z])/gi, `<${invisible}`)
}

/** An image becomes a link that a person may follow, with its address in sight. */
function dropRemoteImages(markdown: string): string {
  return markdown
    .replaceAll(/!\[([^\]]*)\]\(\s*<?([^)\s>]*)>?[^)]*\)/g, (_, alt: string, address: string) =>
      address === '' ? alt : `${alt || 'image'}: ${address}`,
    )
    .replaceAll(/!\[([^\]]*)\](\[[^\]]*\])?/g, (_, alt: string) => alt || 'image')
    .replaceAll(
      /<\/?(img|picture|source|video|audio|iframe|object|embed|svg|image|link|style)\b[^>]*>?/gi,
      '',
    )
}
