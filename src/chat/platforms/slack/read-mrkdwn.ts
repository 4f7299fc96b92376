import { slackMrkdwnToMarkdown } from '@chat-adapter/slack/format'

/** Code, and what Slack writes in angle brackets: nothing in them is a mark. */
const literal = /```[\s\S]*?```|`[^`\n]+`|<[^<>\n]*>/
/** Bold or struck text: the marks touch it on the inside, and no other word on the outside. */
const marked =
  /(?<![\p{L}\p{N}*])\*(?![\s*])[^*\n]*(?<!\s)\*(?![\p{L}\p{N}*])|(?<![\p{L}\p{N}~])~(?![\s~])[^~\n]*(?<!\s)~(?![\p{L}\p{N}~])/u
const parts = new RegExp(`${literal.source}|(?<marked>${marked.source})|[*~]`, 'gu')

/** Stand for a `*` and a `~` that are no marks. Slack's texts have no control characters. */
const star = '\u0001'
const tilde = '\u0002'

/**
 * Slack's markup as Markdown. The client library takes every pair of `*` or `~` for marks, in code and addresses too, so those that
 * are not are hidden from it.
 */
export function readMrkdwn(text: string): string {
  const hidden = readTokens(text).replaceAll(parts, (part, ...found) => {
    const groups: { marked?: string } = found.at(-1)
    return groups.marked === undefined ? part.replaceAll('*', star).replaceAll('~', tilde) : part
  })
  return slackMrkdwnToMarkdown(hidden).replaceAll(star, '*').replaceAll(tilde, '~')
}

/** What the library leaves in angle brackets: addresses other than of the web, mentions of groups, and dates. */
function readTokens(text: string): string {
  return text
    .replaceAll(/<(?:mailto|tel|!)[^<>|]*\|([^<>]+)>/g, '$1')
    .replaceAll(/<(?:mailto|tel):([^<>|]+)>/g, '$1')
    .replaceAll(/<!([a-z]+)>/g, '@$1')
}
