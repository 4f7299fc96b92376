import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Test files of these folders need a browser, which takes long to start and much of the processor. */
const inBrowser = { folders: ['test/e2e'], filesInGroup: 18 }
/** These mostly wait for processes that they start. */
const waiting = [
  { folders: ['test/chaos'], filesInGroup: 3 },
  { folders: ['test/cli'], filesInGroup: 2 },
  { folders: ['test/db'], filesInGroup: 8 },
  { folders: ['test/system'], filesInGroup: 4 },
  { folders: ['test/mcp/others'], filesInGroup: 2 },
  { folders: ['test', 'test/setup'], filesInGroup: 8 },
]
const filesInGroup = 36

/**
 * Reading all sources and warming up takes a process longer than many a test file, and so does a browser. So some files share a
 * process, by a file in `folder` that imports them. Returns what to run, and for each the test files in it.
 */
export async function groupTestFiles(
  files: readonly string[],
  folder: string,
): Promise<Map<string, string[]>> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const groups = new Map<string, string[]>()
  for (const members of inOrder(files.toSorted()))
    groups.set(await entryOf(members, folder, groups.size), members)
  return groups
}

/** Those in a browser by turns with those that wait, which leave them the processor; at the end no core waits for a long one. */
function inOrder(files: readonly string[]): string[][] {
  const isIn = (folders: readonly string[]) => (file: string) => folders.includes(dirname(file))
  const groupsOf = ({ folders, filesInGroup: most }: typeof inBrowser) =>
    split(files.filter(isIn(folders)), most)
  const named = [inBrowser, ...waiting].flatMap(({ folders }) => folders)
  const [browsers, others] = [groupsOf(inBrowser), waiting.flatMap(groupsOf)]
  const byTurns = Array.from({ length: Math.max(browsers.length, others.length) }, (_, turn) => [
    ...browsers.slice(turn, turn + 1),
    ...others.slice(turn, turn + 1),
  ])
  const rest = files.filter((file) => !isIn(named)(file))
  return [...byTurns.flat(), ...split(rest, filesInGroup)]
}

/** Into parts of about the same size. */
function split(files: readonly string[], most: number): string[][] {
  const parts = Math.ceil(files.length / most)
  return Array.from({ length: parts }, (_, part) =>
    files.slice(Math.round((part * files.length) / parts), Math.round(((part + 1) * files.length) / parts)),
  )
}

/** The runner takes files in the order of their names. */
async function entryOf(members: string[], folder: string, turn: number): Promise<string> {
  const [first = ''] = members
  const words = [String(turn).padStart(3, '0'), basename(dirname(first)), basename(first, '.test.ts')]
  const entry = join(folder, `${words.join('-')}.mjs`)
  const imports = members.map((file) => `import '${pathToFileURL(resolve(file))}'\n`)
  await writeFile(entry, imports.join(''))
  return entry
}
