/** What the name or the character of an emoji says about a reply, in whatever color of skin; null for any other. */
export function readThumb(emoji: string): 'up' | 'down' | null {
  const [, sign = ''] =
    /^(👍|👎|\+1|-1|thumbsup|thumbsdown)(?:\p{Emoji_Modifier}|_[a-z_]+skin_tone)?$/u.exec(emoji) ?? []
  if (['👍', '+1', 'thumbsup'].includes(sign)) return 'up'
  return sign === '' ? null : 'down'
}
