const maxLength = 64

/** Makes unique names that every model provider accepts. */
export function createNamer(): (preferred: string) => string {
  const taken = new Set<string>()
  return (preferred) => {
    const base = validName(preferred)
    let name = base
    for (let number = 2; taken.has(name); number++) {
      const suffix = `_${number}`
      name = base.slice(0, maxLength - suffix.length) + suffix
    }
    taken.add(name)
    return name
  }
}

function validName(preferred: string): string {
  const plain = preferred
    .normalize('NFKD')
    .replaceAll(/[^a-zA-Z0-9_-]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, maxLength)
  return plain === '' ? 'unnamed' : plain
}
