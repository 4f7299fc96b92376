import type { Part, Requirement } from '../requirements.ts'

export type SourceFile = { path: string; text: string }

/** What the tests cite against what there is to cite. */
export type Coverage = {
  /** Cited, but no such requirement. */
  unknown: { id: string; path: string }[]
  /** Neither cited nor marked as planned. */
  uncited: string[]
  /** Cited although still marked as planned: the mark must go. */
  stillPlanned: string[]
  planned: { id: string; part: Part }[]
}

export function measureCoverage(
  requirements: Readonly<Record<string, Requirement>>,
  tests: readonly SourceFile[],
): Coverage {
  const citations = tests.flatMap((test) =>
    readCitations(test, requirements).map((id) => ({ id, path: test.path })),
  )
  const cited = new Set(citations.map((citation) => citation.id))
  const all = Object.entries(requirements)
  return {
    unknown: citations.filter(({ id }) => !Object.hasOwn(requirements, id)),
    uncited: all.filter(([id, { planned }]) => !planned && !cited.has(id)).map(([id]) => id),
    stillPlanned: all.filter(([id, { planned }]) => planned && cited.has(id)).map(([id]) => id),
    planned: all.flatMap(([id, { planned }]) => (planned ? [{ id, part: planned }] : [])),
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
