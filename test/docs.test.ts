import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import packageJson from '../package.json' with { type: 'json' }
import { specificationFile, specificationPage } from '../scripts/write-specification.ts'
import { commands } from '../src/cli/commands.ts'
import { problems } from '../src/http/problems.ts'
import { readTree } from './support/read-tree.ts'
import { verifies } from './support/verifies.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

verifies('house:docs-in-step', 'docs/specification.md is what the table of requirements says', () => {
  assert.equal(
    readFileSync(specificationFile, 'utf8'),
    specificationPage(),
    'run: node scripts/write-specification.ts',
  )
})

verifies(
  'house:docs-in-step',
  'docs/problems.md explains every problem with its status, and no other',
  () => {
    const explained = [...read('docs/problems.md').matchAll(/^### (\S+)\n(\d{3})\. \S/gm)].map(
      ([, type, status]) => [type, Number(status)],
    )
    const known = Object.entries(problems).map(([type, { status }]) => [type, status])
    assert.deepEqual(explained.sort(), known.sort())
  },
)

verifies('house:docs-in-step', 'docs/operate.md lists every setting of the environment, and no other', () => {
  const names = read('src/config.ts').match(/const shapes = \{(.*?)\n\}/s)?.[1] ?? ''
  const settings = [...names.matchAll(/^ {2}([A-Z_]+):/gm)].map(([, name]) => name)
  const listed = [...read('docs/operate.md').matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name]) => name)
  assert.notEqual(settings.length, 0)
  assert.deepEqual(listed.sort(), settings.sort())
})

verifies('house:docs-in-step', 'docs/operate.md lists every command and every metric, and no other', () => {
  const page = read('docs/operate.md')
  const section = page.match(/^## Commands$(.*?)^## /ms)?.[1] ?? ''
  const listed = [...section.matchAll(/^\| `([a-z -]+?)(?: --[^`]*)?` \|/gm)].map(([, name]) => name)
  assert.deepEqual(listed.sort(), Object.keys(commands).sort())
  const metrics = readTree('src', (path) => path.endsWith('metrics.ts')).flatMap(({ text }) =>
    [...text.matchAll(/name: '(bellhop_\w+)'/g)].map(([, name]) => name),
  )
  const shown = [...page.matchAll(/`(bellhop_\w+)`/g)].map(([, name]) => name)
  assert.deepEqual(shown.sort(), metrics.sort())
})

verifies(
  'house:docs-in-step',
  'docs/dependencies.md gives a reason for every runtime dependency, and no other',
  () => {
    const rows = read('docs/dependencies.md').matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \|/gm)
    const listed = [...rows].flatMap(([, names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    )
    const { dependencies, optionalDependencies } = packageJson
    assert.deepEqual(listed.sort(), Object.keys({ ...dependencies, ...optionalDependencies }).sort())
  },
)

verifies('house:docs-in-step', 'the image starts what `npm start` starts, after the same set-up', () => {
  const image = read('Dockerfile')
  const words = ['ENTRYPOINT', 'CMD'].flatMap(
    // Both are JSON by the format of the file.
    (name) => JSON.parse(image.match(new RegExp(`^${name} (\\[.*\\])$`, 'm'))?.[1] ?? '[]') as string[],
  )
  // In the image, nobody may write to the packages: its ENV names another folder.
  const cache = 'env NODE_COMPILE_CACHE=node_modules/.cache/node'
  assert.equal(`exec ${cache} ${words.join(' ')}`, packageJson.scripts.start)
  const setUp = image.match(/^RUN (node .*)$/m)?.[1]
  assert.equal(`exec ${setUp}`, packageJson.scripts.prestart)
  const left = read('.dockerignore').trim().split('\n')
  assert.deepEqual(
    ['src', 'dashboard', 'migrations', 'scripts', 'package.json', 'package-lock.json', '.npmrc'].filter(
      (path) => left.includes(path) || !existsSync(join(root, path)),
    ),
    [],
  )
})

verifies('house:docs-in-step', 'the tree in docs/architecture.md names everything at the top of src', () => {
  const tree = read('docs/architecture.md').match(/^## The tree$(.*?)^## /ms)?.[1] ?? ''
  const there = ['src', 'src/platform'].flatMap((path) =>
    readdirSync(join(root, path), { withFileTypes: true })
      .filter((entry) => path === 'src' || entry.isDirectory())
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)),
  )
  assert.notEqual(there.length, 0)
  assert.deepEqual(
    there.filter((name) => !tree.includes(name)),
    [],
  )
})

verifies('house:docs-in-step', 'the log events that docs/operate.md names exist in the code', () => {
  const table = read('docs/operate.md').match(/^\| in the log \|(.*?)\n\n/ms)?.[1] ?? ''
  const words = [...table.matchAll(/^\|([^|]*)\|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word),
  )
  const code = readTree('src', (path) => path.endsWith('.ts')).map(({ text }) => text)
  assert.notEqual(words.length, 0)
  assert.deepEqual(
    words.filter((word) => !code.some((text) => text.includes(`'${word}'`))),
    [],
  )
})

const pages = [
  ...readTree('docs', (path) => path.endsWith('.md')),
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'].map((path) => ({
    path,
    text: read(path),
  })),
]

verifies('house:docs-in-step', 'a link from one page to a file of the project leads somewhere', () => {
  const dead = pages.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .map(([, target = '']) => join(dirname(path), target))
      .filter((target) => !existsSync(join(root, target)))
      .map((target) => `${path} → ${target}`),
  )
  assert.deepEqual(dead, [])
})

verifies('house:docs-in-step', 'a path of the project that a page names exists', () => {
  const generated = read('.gitignore').split('\n')
  const named = /`((?:src|test|dashboard|scripts|bench|migrations|docs)\/[\w./-]*)`/g
  const gone = pages.flatMap(({ path, text }) =>
    [...text.matchAll(named)]
      .map(([, target = '']) => target)
      .filter((target) => !existsSync(join(root, target)) && !generated.includes(target))
      .map((target) => `${path} names ${target}`),
  )
  assert.deepEqual(gone, [])
})
