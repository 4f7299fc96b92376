/** The kinds of image that models accept, by their first bytes in hexadecimal. */
const kinds = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638(37|39)61/],
  ['image/webp', /^52494646.{8}57454250/],
] as const

/** What kind of image this is, or null. Labels do not decide: a provider refuses the whole request if one is wrong. */
export function imageTypeOf(bytes: Buffer): string | null {
  const start = bytes.toString('hex', 0, 12)
  return kinds.find(([, pattern]) => pattern.test(start))?.[0] ?? null
}
