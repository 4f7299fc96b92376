type Environment = Readonly<Record<string, string | undefined>>

const ours = /^(BELLHOP_|EGRESS_|MODEL_|TRUSTED_PROX|ENCRYPTION_|METRICS_TOK|PUBLIC_UR|DATA_DI|ADMIN_(E|P))/

/** Kubernetes describes every service of the namespace to every container, and one of them may be called bellhop. */
const serviceLink = /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_\w+)?$/

function isServiceLink(name: string, value = ''): boolean {
  return serviceLink.test(name) || (name.endsWith('_PORT') && /^(tcp|udp|sctp):/.test(value))
}

/** Variables that look like settings of Bellhop and are none, each with the one that was probably meant. */
export function findMisspellings(names: readonly string[], environment: Environment): string[] {
  const unset = names.filter((name) => !environment[name])
  return Object.keys(environment)
    .filter(
      (name) => !names.includes(name) && (ours.test(name) || unset.some((meant) => isSlip(name, meant))),
    )
    .filter((name) => !isServiceLink(name, environment[name]))
    .map((name) => {
      const meant = closestName(names, name.replace(/^BELLHOP_/, '').toUpperCase())
      return `${name} is not a setting of Bellhop${meant ? `; did you mean ${meant}?` : ''}`
    })
}

/** `DATABSE_URL`, `PUBLIC_ULR`, `PUBLICURL`, `public_url`. Other programs may well have names as close to a short one. */
function isSlip(written: string, meant: string): boolean {
  if (meant.length < 10) return false
  const [a, b] = [written, meant].map((name) => name.toUpperCase().replaceAll('_', '')) as [string, string] // one each
  return editDistance(a, b) <= 1 || [...a].sort().join('') === [...b].sort().join('')
}

/** The name of which a word was left out (`MODEL_KEY`), or else the most similar one. */
function closestName(names: readonly string[], written: string): string | undefined {
  const has = (name: string) => written.split('_').every((word) => name.split('_').includes(word))
  const [best] = names
    .map((name) => ({ name, distance: editDistance(written, name) }))
    .sort((a, b) => a.distance - b.distance)
  if (written.includes('_') && names.some(has)) return names.find(has)
  return best && best.distance <= 4 ? best.name : undefined
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, substitution))
    }
    previous = row
  }
  return previous[b.length] ?? 0
}
