import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { groupTestFiles } from '../scripts/group-test-files.ts'
import { requirements } from './requirements.ts'
import { measureCoverage } from './support/measure-coverage.ts'
import { readTree } from './support/read-tree.ts'
import { temporaryFolder } from './support/temporary-folder.ts'
import { verifies } from './support/verifies.ts'

/** A test file as text. Put together here, so that the scan of this very file does not take it for a citation. */
function testThatCites(firstArgument: string) {
  return { path: 'test/made-up.test.ts', text: `verif${'ies'}(${firstArgument}, 'a sentence', () => {})` }
}

const madeUp = { 'db:kept': 'It is kept.', 'db:found': 'It is found.' }

verifies('house:requirements-covered', 'every requirement is cited by a test', () => {
  const coverage = measureCoverage(
    requirements,
    readTree('test', (path) => path.endsWith('.test.ts')),
  )
  assert.deepEqual(coverage.unknown, [], 'cited, but not in test/requirements.ts')
  assert.deepEqual(coverage.uncited, [], 'no test cites these: write one')
})

verifies('house:requirements-covered', 'each test file is run, once, alone or with neighbours', async () => {
  await using folder = await temporaryFolder()
  const files = readTree('test', (path) => path.endsWith('.test.ts')).map(({ path }) => path)
  const groups = await groupTestFiles(files, folder.path)
  assert.deepEqual([...groups.values()].flat().toSorted(), files.toSorted())
  for (const [entry, members] of groups) {
    const imports = members.map((file) => `import '${pathToFileURL(resolve(file))}'\n`)
    assert.equal(await readFile(entry, 'utf8'), imports.join(''))
  }
  const killing = [...groups.values()].find((members) => members.includes('test/chaos/kill.test.ts'))
  assert.ok(
    killing?.every((file) => file.startsWith('test/chaos/')),
    'whoever kills has no other neighbours',
  )
  // The runner sorts what it is given by name.
  const inOrder = [...groups.keys()]
  assert.deepEqual(inOrder, inOrder.toSorted())
})

verifies('house:requirements-covered', 'a citation of a requirement that does not exist is found', () => {
  const { unknown } = measureCoverage(madeUp, [testThatCites(`'db:lost'`)])
  assert.deepEqual(unknown, [{ id: 'db:lost', path: 'test/made-up.test.ts' }])
})

verifies('house:requirements-covered', 'a requirement without citation is found', () => {
  const { uncited } = measureCoverage(madeUp, [testThatCites(`'db:kept'`)])
  assert.deepEqual(uncited, ['db:found'])
})

verifies(
  'house:requirements-covered',
  'an id in a comment does not count as a citation, one in a table of cases does',
  () => {
    const commented = testThatCites(`'db:kept'`)
    const { uncited } = measureCoverage(madeUp, [
      { ...commented, text: `  // ${commented.text}` },
      { ...commented, text: `const cases = [['db:found', 1]]\n${testThatCites('id').text}` },
    ])
    assert.deepEqual(uncited, ['db:kept'])
  },
)
