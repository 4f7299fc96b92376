export type SourceFile = { path: string; text: string }

/** What the tests cite against what there is to cite. */
export type Coverage = {
  /** Cited, but no such requirement. */
  unknown: { id: string; path: string }[]
  uncited: string[]
}

export function measureCoverage(
  requirements: Readonly<Record<string, unknown>>,
  tests: readonly SourceFile[],
): Coverage {
  const citations = tests.flatMap((test) =>
    readCitations(test, requirements).map((id) => ({ id, path: test.path })),
  )
  const cited = new Set(citations.map((citation) => citation.id))
  return {
    unknown: citations.filter(({ id }) => !Object.hasOwn(requirements, id)),
    uncited: Object.keys(requirements).filter((id) => !cited.has(id)),
  }
}

/** The ids in the first argument of each `verifies(` call: a string or a list of strings. */
function readCitations(test: SourceFile, requirements: Readonly<Record<string, unknown>>): string[] {
  const code = test.text.replace(/^\s*\/\/.*$/gm, '')
  const ids: string[] = []
  let computed = false
  for (const [, argument = ''] of code.matchAll(/\bverifies\(\s*(\[[^\]]*\]|[^,]*)/g)) {
    const literals = quotedStrings(argument)
    ids.push(...literals)
    computed ||= literals.length === 0
  }
  // A table of cases passes the id as a variable: then every known id that the file contains counts as a citation.
  if (computed) ids.push(...quotedStrings(code).filter((text) => Object.hasOwn(requirements, text)))
  return ids
}

function quotedStrings(text: string): string[] {
  return [...text.matchAll(/'([^'\n]*)'|"([^"\n]*)"/g)].map(([, single, double]) => single ?? double ?? '')
}
