const ours = /^(BELLHOP|EGRESS|MODEL|ENCRYPTION|TRUSTED)_/
/** Kubernetes describes every service of the namespace to every container, and one of them may be called bellhop or model. */
const serviceLink = /_(SERVICE|PORT)(_|$)/

/** Variables that begin like a setting of Bellhop, or have its letters (`PUBLIC_ULR`, `PUBLICURL`, `public_url`), and are none. */
export function findMisspellings(names: readonly string[], environment: object): string[] {
  return Object.keys(environment).flatMap((written) => {
    if (names.includes(written) || serviceLink.test(written)) return []
    const bare = written.replace(/^BELLHOP_/, '')
    const alike = names.filter((name) => name.length > 9 && lettersOf(name) === lettersOf(bare))
    if (alike.length === 0 && !ours.test(written)) return []
    const meant = alike.length > 0 ? alike : names.filter((name) => name.startsWith(bare.replace(/_.*/, '')))
    return `${written} is not a setting of Bellhop${meant.length > 0 ? `; did you mean ${meant.join(' or ')}?` : ''}`
  })
}

function lettersOf(name: string): string {
  return [...name.toUpperCase().replaceAll('_', '')].sort().join('')
}
