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
const filesInGroup = 12
/** Browser tests take longer, and none may wait for too many others. */
const filesInBrowser = 4
/** Started first, so that at the end no core waits for a long one. */
const longest = ['test/e2e', 'test/cli', 'test/chaos', 'test/system']

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
  const places = [...Map.groupBy(files.toSorted(), dirname)]
  for (const [place, inPlace] of places.toSorted(([a], [b]) => turnOf(a) - turnOf(b))) {
    const size = alone.includes(place) ? 1 : place === 'test/e2e' ? filesInBrowser : filesInGroup
    for (let at = 0; at < inPlace.length; at += size) {
      const members = inPlace.slice(at, at + size)
      groups.set(await entryOf(members, folder, groups.size), members)
    }
  }
  return groups
}

/** A file that is alone ends sooner than a group. */
function turnOf(place: string): number {
  if (longest.includes(place)) return longest.indexOf(place)
  return longest.length + (alone.includes(place) ? 1 : 0)
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
