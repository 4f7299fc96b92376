import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Test files in these folders stop processes, fill disks or count what belongs to their process: each has one of its own. */
const alone = [
  'test',
  'test/chaos',
  'test/cli',
  'test/db',
  'test/egress',
  'test/system',
  'test/platform',
  'test/setup',
]
const filesInGroup = 4
/** Browser tests take longer, and none may wait for too many others. */
const filesInBrowser = 2

/**
 * Reading all sources and warming up takes a process longer than many a test file, and so does a browser. So a few files of one
 * folder share a process, by a file in `folder` that imports them. Returns what to run, and for each the test files in it.
 */
export async function groupTestFiles(
  files: readonly string[],
  folder: string,
): Promise<Map<string, string[]>> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const groups = new Map<string, string[]>()
  for (const [place, inPlace] of Map.groupBy(files.toSorted(), dirname)) {
    const size = alone.includes(place) ? 1 : place === 'test/e2e' ? filesInBrowser : filesInGroup
    for (let at = 0; at < inPlace.length; at += size) {
      const members = inPlace.slice(at, at + size)
      groups.set(await entryOf(members, folder), members)
    }
  }
  return groups
}

async function entryOf(members: string[], folder: string): Promise<string> {
  const [first = '', ...others] = members
  if (others.length === 0) return resolve(first)
  const entry = join(folder, `${basename(dirname(first))}-${basename(first, '.test.ts')}.mjs`)
  const imports = members.map((file) => `import '${pathToFileURL(resolve(file))}'\n`)
  await writeFile(entry, imports.join(''))
  return entry
}
