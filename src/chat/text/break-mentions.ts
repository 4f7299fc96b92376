const invisible = '\u200b'

/**
 * Nobody is called by the words: neither `@all` and its like, with whatever signs behind it, nor Slack's `<!channel>`, nor Google Chat's
 * `<users/all>`. Mattermost reads a number of a character (`&#64;`) as the character before it looks for names.
 */
export function breakMentions(text: string): string {
  return text
    .replaceAll(/@(?=(everyone|here|channel|all)(?![\p{L}\p{N}]))/giu, `@${invisible}`)
    .replaceAll(/<(?=![a-z]|users\/)/gi, `<${invisible}`)
    .replaceAll(/&(?=#x?[0-9a-f]|commat;)/gi, `&${invisible}`)
}
