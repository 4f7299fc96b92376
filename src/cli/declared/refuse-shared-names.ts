/** With two things of one name, a file could not say which of them it means. */
export function refuseSharedNames(what: string, things: readonly { name: string }[]): void {
  const seen = new Set<string>()
  for (const { name } of things) {
    if (seen.has(name))
      throw new Error(
        `There are several ${what}s called "${name}". Rename all but one: a file knows them by name.`,
      )
    seen.add(name)
  }
}
