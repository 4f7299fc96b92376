/** Letters and signs that look like another one in common fonts, after NFKC and lower case. Cyrillic, Greek, Armenian and Latin. */
const lookAlikes = new Map(
  [
    ['аαɑ', 'a'],
    ['вβь', 'b'],
    ['сϲ', 'c'],
    ['ԁ', 'd'],
    ['еєε', 'e'],
    ['ɡց', 'g'],
    ['һнη', 'h'],
    // A capital I, a small l and a one are the same stroke; so an i counts as one, too.
    ['i1|!ıіιӏǀ', 'l'],
    ['јϳ', 'j'],
    ['кκ', 'k'],
    ['мμ', 'm'],
    ['пո', 'n'],
    ['0оοσօө', 'o'],
    ['рρ', 'p'],
    ['ԛզ', 'q'],
    ['гᴦ', 'r'],
    ['ѕ5', 's'],
    ['тτ', 't'],
    ['υս', 'u'],
    ['ѵν', 'v'],
    ['ԝωѡ', 'w'],
    ['хχ', 'x'],
    ['уүγ', 'y'],
    ['ζ', 'z'],
  ].flatMap(([signs = '', like = '']) => Array.from(signs, (sign): [string, string] => [sign, like])),
)

/** Two names are taken for the same if this is equal: case, spaces, punctuation and look-alikes do not count. */
export function foldName(name: string): string {
  const letters = Array.from(name.normalize('NFKC').toLowerCase(), (sign) => lookAlikes.get(sign) ?? sign)
  const folded = letters.join('').replaceAll('rn', 'm').replaceAll('vv', 'w')
  // A name of signs only is compared as it is.
  return folded.replaceAll(/[\s\p{P}\p{S}\p{Cf}]+/gu, '') || name
}
