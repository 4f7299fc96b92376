import assert from 'node:assert/strict'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunShape } from '../../src/runs/contract.ts'
import type { SettingsShape as Settings } from '../../src/settings/contract.ts'
import { autoTools } from '../support/interrupt-run.ts'
import { prepareDataFolder } from '../support/prepare-data-folder.ts'
import { runBellhop } from '../support/run-bellhop.ts'
import { type Service, startService } from '../support/start-service.ts'
import { startTarget } from '../support/start-target.ts'
import { testApiKey } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

async function bellhop(args: string[], env: Record<string, string>) {
  const { code, out, err } = await runBellhop(args, env)
  return { code, said: out + err }
}

const backup = (args: string[], env: Record<string, string>) => bellhop(['backup', ...args], env)

type Event = { id: string }

verifies(
  ['cli:backup', 'cli:restored-paused'],
  'a backup that is made while events come in holds each one that was accepted before it, and starts with its key; without a running service it works too, an invalid target or source is refused with an explanation; the first start on it pauses the agent and does not send again what was under way',
  async () => {
    await using folder = await temporaryFolder()
    const data = join(folder.path, 'data')
    const copy = join(folder.path, 'backups', 'monday')
    await using model = await startStubAnthropic(({ body }) =>
      body.includes('tool_result')
        ? { text: 'Done.' }
        : { calls: [{ name: 'shop__refund', input: { id: 'A-1' } }] },
    )
    // The write is under way while the backup is made.
    const answers: (() => void)[] = []
    await using target = await startTarget(
      (_request, response) => void answers.push(() => response.end('{}')),
    )
    const env = {
      ...model.env,
      API_KEY: testApiKey,
      LOG_LEVEL: 'warn',
      EGRESS_PRIVATE_EXCEPTIONS: target.pair,
    }
    const none = await backup(['--to', copy], { DATA_DIR: data })
    assert.deepEqual(
      [none.code, /There is no database in .*\/data\. Name the data folder/.test(none.said)],
      [1, true],
    )
    const before: string[] = []
    let during = 0
    {
      await using service = await startService({ ...env, DATA_DIR: await prepareDataFolder(data) })
      const connector = {
        type: 'http',
        name: 'Shop',
        baseUrl: target.origin,
        authType: 'none',
        timeoutMs: 120_000,
      }
      await service.api('POST', '/connectors', { ...connector, tools: autoTools })
      const channel = await service.api<{ id: string }>('POST', '/channels', { name: 'ops' })
      const { endpointUrl } = await service.api<{ endpointUrl: string }>('POST', '/webhooks', {
        name: 'Orders',
        channelId: channel.id,
        prompt: 'Say what came.',
        rateLimit: null,
      })
      const sendEvent = async () => {
        const answer = await fetch(endpointUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ text: 'x'.repeat(2_000) }),
        })
        assert.equal(answer.status, 200)
        return ((await answer.json()) as { eventId: string }).eventId
      }
      before.push(await sendEvent())
      await until(() => target.seen.length === 1)
      // What comes in from now on is kept, and nobody works on it.
      await service.api('PATCH', '/settings', { agent: { paused: true } })
      for (let n = 0; n < 20; n++) before.push(await sendEvent())
      let done = false
      const ringing = (async () => {
        for (; !done; during++) await sendEvent()
      })()
      const made = await backup(['--to', copy], { DATA_DIR: data })
      done = true
      await ringing
      assert.equal(made.code, 0, made.said)
      assert.match(made.said, /monday holds a copy of the database and of its key\. To restore, stop Bellhop/)
      for (const answer of answers) answer()
      assert.ok(during > 0)
      assert.deepEqual(await readdir(join(folder.path, 'backups')), ['monday'])
    }
    await backsUpAtRest(folder.path, data)
    await using restored = await startService({ ...env, DATA_DIR: copy })
    await waitsForAnAdmin(restored, copy)
    assert.equal(target.seen.length, 1)
    for (const id of before) assert.equal((await restored.api<Event>('GET', `/events/${id}`)).id, id)
    const { items } = await restored.api<{ items: { id: string }[] }>('GET', '/webhooks')
    // The URL is sealed: only the right key opens it.
    const { endpointUrl } = await restored.api<{ endpointUrl: string }>(
      'POST',
      `/webhooks/${items[0]?.id}/reveal`,
    )
    assert.match(endpointUrl, /\/hooks\/.{20}/)
    // Once an admin has resumed the agent, this is a data folder like any other.
    const resumed = await restored.api<Settings>('PATCH', '/settings', { agent: { paused: false } })
    assert.deepEqual([resumed.agent.paused, resumed.agent.pauseReason], [false, null])
    assert.ok(!(await readdir(copy)).includes('made-by-backup'))
    // Without its backup label a copy would also start, possibly incomplete.
    assert.match(await readFile(join(copy, 'postgres.log'), 'utf8'), /completed backup recovery/)
    assert.equal((await stat(join(copy, 'encryption-key'))).mode & 0o777, 0o600)
  },
)

/** The original may have finished since what was under way, so a person looks first. */
async function waitsForAnAdmin(restored: Service, copy: string): Promise<void> {
  const reason =
    /^The agent is paused: Bellhop was restored from the backup of 20\d\d-\d\d-\d\d \d\d:\d\d UTC\. 1 run and .*then resume the agent\.$/
  const { agent } = await restored.api<Settings>('GET', '/settings')
  assert.equal(agent.paused, true)
  assert.match(agent.pauseReason ?? '', reason)
  assert.match(restored.output(), /"level":"warn".*backup\.restored/)
  const { items } = await restored.api<{ items: { id: string }[] }>('GET', '/runs?status=running')
  const run = await restored.api<RunShape>('GET', `/runs/${items[0]?.id}`)
  assert.deepEqual(
    run.toolCalls.map(({ state, error }) => [state, error?.code]),
    [['unknown', 'outcome_unknown']],
  )
  const doctor = await bellhop(['doctor'], { DATA_DIR: copy })
  assert.match(doctor.said, /WRONG {2}agent: The agent is paused: Bellhop was restored from/)
}

/** Of a data folder that no service uses. */
async function backsUpAtRest(folder: string, data: string): Promise<void> {
  const key = await readFile(join(data, 'encryption-key'), 'utf8')
  const made = await backup(['--to', join(folder, 'copy')], { DATA_DIR: data })
  assert.equal(made.code, 0, made.said)
  assert.equal(await readFile(join(folder, 'copy', 'encryption-key'), 'utf8'), key)

  const again = await backup(['--to', join(folder, 'copy')], { DATA_DIR: data })
  assert.match(again.said, /copy is not empty\. Name a folder that does not exist yet/)
  await writeFile(join(folder, 'file'), '')
  const file = await backup(['--to', join(folder, 'file')], { DATA_DIR: data })
  assert.match(file.said, /file is not a folder/)
  const nowhere = await backup([], { DATA_DIR: data })
  assert.match(nowhere.said, /Name the target folder: backup --to/)
  const external = await backup(['--to', join(folder, 'x')], {
    DATABASE_URL: 'postgres://localhost/x',
    ENCRYPTION_KEY: key.trim(),
  })
  assert.deepEqual([external.code, /is an external one \(DATABASE_URL\)/.test(external.said)], [1, true])
}
