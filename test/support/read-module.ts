export type SourceFile = { path: string; text: string }

export type Import = {
  specifier: string
  /** Erased before it runs. */
  typeOnly: boolean
  /** The imported names; none for `import * as` and for an import without a clause. */
  names: string[]
}

/** The import and export-from statements and the dynamic imports of a module, as our formatter writes them. */
export function importsOf(text: string): Import[] {
  const code = withoutComments(text)
  const statements = code.matchAll(
    /^(?:import\s+(type\s+)?([\w$*{}\s,]+?)\s+from|export\s+(type\s+)?(\*[\w\s]*|\{[^}]*\})\s+from|import)\s*['"]([^'"]+)['"]/gm,
  )
  const dynamic = code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)
  return [
    ...[...statements].map(([, importType, clause, exportType, exported, specifier = '']) => {
      const names = listedNames(clause ?? exported ?? '')
      const allTypes = names.length > 0 && names.every((name) => name.startsWith('type '))
      return {
        specifier,
        typeOnly: Boolean(importType ?? exportType) || allTypes,
        names: names.map((name) => name.replace(/^type\s+/, '').replace(/\s+as\s.*$/, '')),
      }
    }),
    ...[...dynamic].map(([, specifier = '']) => ({ specifier, typeOnly: false, names: [] })),
  ]
}

function listedNames(clause: string): string[] {
  const beforeBraces = clause.split('{')[0]?.replace(/,\s*$/, '').trim() ?? ''
  if (beforeBraces !== '' && !clause.includes('{')) return beforeBraces.startsWith('*') ? [] : [beforeBraces]
  const inside = clause.match(/\{([^}]*)\}/)?.[1] ?? ''
  return [beforeBraces, ...inside.split(',')].map((name) => name.trim()).filter(Boolean)
}

/** What a module declares and exports. */
export function exportedNames(text: string): { name: string; isType: boolean }[] {
  const declared = withoutComments(text).matchAll(
    /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(const|let|function\*?|class|type|interface)\s+([\w$]+)/gm,
  )
  return [...declared].map(([, kind = '', name = '']) => ({ name, isType: /^(type|interface)$/.test(kind) }))
}

/** Enough for our own code: a `//` inside a string follows something other than white space. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}
