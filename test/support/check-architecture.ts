import { dirname, join, normalize } from 'node:path'
import { checkTableUse, tableUse } from './check-table-use.ts'
import { exportedNames, type Import, importsOf, type SourceFile, withoutComments } from './read-module.ts'
import { sliceOf, slices } from './slices.ts'

export type Violation = { rule: RuleName; path: string; says: string }

/** What every slice may import besides itself. */
const foundations = /^src\/(platform|shared|http)\/|^src\/jobs\.ts$/

/** These assemble the app, so they may import everything. Only they import each other. */
function isAssembly(path: string): boolean {
  return (/^src\/[^/]+\.ts$/.test(path) && path !== 'src/jobs.ts') || /^src\/(app|cli)\//.test(path)
}

const networkModules = /^(node:)?(net|tls|http|https|http2|dns|dns\/promises|dgram)$|^undici$/
/** Exports of those modules that open no connection. */
const harmlessNames = new Set(['isIP', 'isIPv4', 'isIPv6', 'BlockList', 'STATUS_CODES', 'METHODS'])
const networkFolders = /^src\/platform\/(egress|db|http-server)\//

const rules = {
  'import-map': eachImport((file, target, statement) => {
    if (!file.path.startsWith('src/') || mayImport(file.path, target)) return undefined
    return `${statement.typeOnly ? 'import type' : 'import'} of ${target} is not on the map`
  }),

  'no-import-circles': (files: readonly SourceFile[]) =>
    findCircles(files).map((circle) => ({
      path: circle[0] ?? '',
      says: `is in a circle of imports: ${circle.join(' → ')}`,
    })),

  'contract-stays-pure': eachFile((file) => {
    if (!/^src\/.*\/contract\.ts$/.test(file.path)) return []
    return importsOf(file.text)
      .filter(
        ({ specifier }) =>
          !/^zod(\/|$)|\/contract\.ts$|\/shared\/.+\.ts$|\/(paging|invisible-characters)\.ts$/.test(
            specifier,
          ),
      )
      .map(
        ({ specifier }) =>
          `imports ${specifier}: the dashboard loads this file, so only zod, shared/, paging.ts, invisible-characters.ts and other contracts`,
      )
  }),

  'dashboard-sees-contracts-only': eachImport((file, target) => {
    if (!file.path.startsWith('dashboard/') || target.startsWith('dashboard/')) return undefined
    if (/^src\/(.+\/contract|shared\/.+)\.ts$/.test(target)) return undefined
    return `imports ${target}: only contract.ts files and shared/ cross over`
  }),

  'ui-knows-no-domain': eachImport((file, target) => {
    if (!file.path.startsWith('dashboard/ui/') || target.startsWith('dashboard/ui/')) return undefined
    return `imports ${target}: ui/ knows no word of the domain`
  }),

  'one-way-to-the-outside': eachFile((file) => {
    if (!file.path.startsWith('src/') || networkFolders.test(file.path)) return []
    const modules = importsOf(file.text).filter(
      ({ specifier, typeOnly, names }) =>
        networkModules.test(specifier) &&
        !typeOnly &&
        !(names.length > 0 && names.every((name) => harmlessNames.has(name))),
    )
    const globals = withoutComments(file.text).match(
      /(?<![.\w'"-])fetch\s*\(|(?<!typeof )\b(globalThis|global)\.fetch\b|\bnew (WebSocket|EventSource)\b/g,
    )
    return [...modules.map(({ specifier }) => specifier), ...(globals ?? [])].map(
      (what) => `uses ${what}: only platform/egress opens connections`,
    )
  }),

  'only-config-reads-environment': eachFile((file) => {
    if (!file.path.startsWith('src/') || file.path === 'src/config.ts') return []
    return /\bprocess\.env\b|\benv\b[^'"]*\bfrom 'node:process'/.test(withoutComments(file.text))
      ? ['reads process.env: take it from the Config that app.ts passes']
      : []
  }),

  'nobody-exits': eachFile((file) =>
    file.path.startsWith('src/') &&
    /\bprocess\.(exit|abort|reallyExit)\b(?!Code)/.test(withoutComments(file.text))
      ? ['ends the process: whoever opened something could not close it']
      : [],
  ),

  'names-carry-meaning': eachFile((file) =>
    /(^|[/-])(utils?|helpers?|types|index|common|misc|shared)\.tsx?$|\/type\.tsx?$/.test(file.path)
      ? ['is a name that says nothing: put each thing where it is made']
      : [],
  ),

  'no-barrels': eachFile((file) => {
    const code = withoutComments(file.text)
    const onlyForwards =
      /^export\b/m.test(code) &&
      code.replace(/^(ex|im)port\s[^=(]*?from\s+['"][^'"]+['"];?\s*$/gm, '').trim() === ''
    return onlyForwards || /^export\s+\*\s/m.test(code)
      ? ['only passes on what others export: import from where it is made']
      : []
  }),

  'named-exports': eachFile((file) =>
    file.path.startsWith('src/') && /^export\s+default\b/m.test(withoutComments(file.text))
      ? ['has a default export: give it its name']
      : [],
  ),

  'file-bears-its-name': eachFile((file) => {
    const name = file.path.match(/^src\/(?:.*\/)?([^/]+)\.ts$/)?.[1]
    if (!name || ['contract', 'routes', 'store', 'main'].includes(name) || /^src\/cli/.test(file.path))
      return []
    const exported = exportedNames(file.text)
    if (exported.length === 0) return ['exports nothing']
    // A file with several functions is a concept; one with a single function or none has the name of its export.
    if (exported.filter(({ isType }) => !isType).length > 1) return []
    const words = name.split('-').map((word) => word.replace(/(ing|ies|y|s)$/, ''))
    return exported.some((one) => words.some((word) => one.name.toLowerCase().includes(word)))
      ? []
      : [`exports ${exported.map((one) => one.name).join(', ')}: none has a word of the file's name`]
  }),

  'one-screen-or-two': eachFile((file) => {
    const lines = file.text.trimEnd().split('\n').length
    return lines > 300 && !file.path.endsWith('/contract.ts') ? [`has ${lines} lines: look for a seam`] : []
  }),

  'one-table-one-writer': (files: readonly SourceFile[]) => {
    const { writes } = tableUse(files)
    return Object.entries(Object.groupBy(writes, ({ table }) => table)).flatMap(([table, of = []]) => {
      const owners = [...new Set(of.map(({ slice }) => slice))]
      return owners.length < 2
        ? []
        : [{ path: of[0]?.path ?? '', says: `the table ${table} is written by ${owners.join(' and ')}` }]
    })
  },
  'tables-are-listed': checkTableUse,
} satisfies Record<string, (files: readonly SourceFile[]) => { path: string; says: string }[]>

export type RuleName = keyof typeof rules
export const ruleNames = Object.keys(rules) as RuleName[]

/** Pure, so that the tests can pass in a file that breaks a rule. */
export function checkArchitecture(files: readonly SourceFile[]): Violation[] {
  return ruleNames.flatMap((rule) => rules[rule](files).map((found) => ({ rule, ...found })))
}

/** Each circle once, from its first file; imports of types count, since a reader follows them too. */
function findCircles(files: readonly SourceFile[]): string[][] {
  const targets = new Map(files.map((file) => [file.path, ownImportsOf(file).map(({ target }) => target)]))
  const done = new Set<string>()
  const circles: string[][] = []
  const follow = (path: string, way: readonly string[]): void => {
    const begin = way.indexOf(path)
    if (begin !== -1) circles.push(way.slice(begin))
    if (begin !== -1 || done.has(path)) return
    for (const target of targets.get(path) ?? []) follow(target, [...way, path])
    done.add(path)
  }
  for (const path of targets.keys()) follow(path, [])
  return circles
}

function eachFile(check: (file: SourceFile) => string[]) {
  return (files: readonly SourceFile[]) =>
    files.flatMap((file) => check(file).map((says) => ({ path: file.path, says })))
}

function eachImport(check: (file: SourceFile, target: string, statement: Import) => string | undefined) {
  return eachFile((file) =>
    ownImportsOf(file)
      .map(({ target, statement }) => check(file, target, statement))
      .filter((says) => says !== undefined),
  )
}

/** Imports of our own files, by their path from the project's root. */
function ownImportsOf(file: SourceFile): { target: string; statement: Import }[] {
  return importsOf(file.text)
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map((statement) => ({
      target: normalize(join(dirname(file.path), statement.specifier)),
      statement,
    }))
}

function mayImport(from: string, to: string): boolean {
  if (!to.startsWith('src/')) return to === 'package.json' && isAssembly(from)
  if (isAssembly(from)) return true
  if (isAssembly(to)) return false
  const [own, other] = [sliceOf(from), sliceOf(to)]
  if (own === other) return true
  if (own === 'platform') return false
  if (own === 'shared') return other === 'platform'
  if (own === 'http' || own === 'jobs.ts') return ['platform', 'shared'].includes(other)
  if (foundations.test(to)) return true
  if (/\/contract\.ts$/.test(from) && /\/contract\.ts$/.test(to)) return true
  return slices[own]?.includes(other) ?? false
}
