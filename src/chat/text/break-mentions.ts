const invisible = '\u200b'

/**
 * Keeps the text from mentioning groups of people: `@all` and the like, whatever follows, Slack's `<!channel>`, and Google Chat's
 * `<users/all>`. Mattermost decodes character references (`&#64;`) before it looks for mentions.
 */
export function breakMentions(text: string): string {
  return text
    .replaceAll(/@(?=(everyone|here|channel|all)(?![\p{L}\p{N}]))/giu, `@${invisible}`)
    .replaceAll(/<(?=![a-z]|users\/)/gi, `<${invisible}`)
    .replaceAll(/&(?=#x?[0-9a-f]|commat;)/gi, `&${invisible}`)
}
