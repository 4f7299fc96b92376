import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pruneAuditLog, sealAuditLog } from '../../src/accounts/audit-log/seal-audit-log.ts'
import { signHead } from '../../src/accounts/audit-log/sign-head.ts'
import type { AuditVerification } from '../../src/accounts/contract.ts'
import { firstIdAt } from '../../src/shared/ids.ts'
import { plainEnv } from '../support/plain-env.ts'
import { startTestApp, type TestApp, testEncryptionKey } from '../support/start-test-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { verifies } from '../support/verifies.ts'

const verify = (app: TestApp) => app.get<AuditVerification>('/api/v1/audit/verification')

async function write(app: TestApp, count: number): Promise<void> {
  for (let index = 0; index < count; index++)
    assert.equal(
      (await app.api('POST', '/api/v1/api-keys', { name: `K${index}`, role: 'member' })).status,
      201,
    )
  await sealAuditLog(app.app.ctx.db)
}

/** Does something to the log by hand, hears what the check says, and takes it back. */
async function tamper(app: TestApp, statement: string): Promise<string[]> {
  const { db } = app.app.ctx
  await sql`create table kept as select * from audit_log`.execute(db)
  await sql`create table kept_keys as select * from audit_keys`.execute(db)
  await sql.raw(statement).execute(db)
  const { ok, faults } = await verify(app)
  assert.equal(ok, faults.length === 0)
  await db.transaction().execute(async (tx) => {
    for (const [table, kept] of [
      ['audit_log', 'kept'],
      ['audit_keys', 'kept_keys'],
    ]) {
      await sql.raw(`delete from ${table}`).execute(tx)
      await sql.raw(`insert into ${table} select * from ${kept}`).execute(tx)
      await sql.raw(`drop table ${kept}`).execute(tx)
    }
  })
  return faults
}

verifies(
  'accounts:audit-chain',
  'an entry that was edited, removed, inserted or moved is named in words, also if it was the last',
  async () => {
    // No worker: the end of the chain does not move while it is tampered with.
    await using app = await startTestApp({ env: { ROLE: 'web' } })
    await write(app, 6)
    const before = await verify(app)
    assert.deepEqual([before.ok, before.unsealed], [true, 0])
    assert.ok(before.entries >= 6)
    const last = before.entries

    const [edited] = await tamper(app, `update audit_log set actor_name = 'Nobody' where position = 3`)
    assert.match(edited ?? '', /^The entry \S+ of \S+Z \(aud_\S+\) was edited/)
    for (const column of ['action', 'actor_id', 'actor_kind', 'subject_name', 'subject', 'source'])
      assert.equal(
        (await tamper(app, `update audit_log set ${column} = 'x' where position = 4`)).length,
        1,
        column,
      )
    assert.equal((await tamper(app, `update audit_log set detail = '{}' where position = 4`)).length, 1)
    assert.equal(
      (await tamper(app, `update audit_log set at = at + interval '1 microsecond' where position = 4`))
        .length,
      1,
    )
    assert.match(
      (await tamper(app, 'delete from audit_log where position = 3')).join(),
      /^One entry before The entry .* was removed\.$/,
    )
    assert.match(
      (await tamper(app, 'delete from audit_log where position in (3, 4)')).join(),
      /^2 entries before .* were removed\.$/,
    )
    assert.deepEqual(await tamper(app, `delete from audit_log where position = ${last}`), [
      'One entry at the end of the log was removed.',
    ])
    assert.match(
      (await tamper(app, 'delete from audit_log')).join(),
      /entries at the end of the log were removed/,
    )
    assert.match(
      (
        await tamper(
          app,
          `delete from audit_log where position = ${last}; update audit_keys set position = ${last - 1}, hash = (select hash from audit_log where position = ${last - 1})`,
        )
      ).join(),
      /The end of the chain was changed by hand\./,
    )
    const columns = 'id, actor_kind, actor_id, actor_name, action'
    const row = `'system', 'system', 'Bellhop', 'user.created'`
    assert.match(
      (await tamper(app, `insert into audit_log (${columns}) values ('aud_0', ${row})`)).join(),
      /was inserted: Bellhop did not write it\.$/,
    )
    assert.match(
      (
        await tamper(
          app,
          `insert into audit_log (${columns}, chain, mac) select 'aud_0', ${row}, chain, mac from audit_log where position = 2`,
        )
      ).join(),
      /was edited, or inserted with the proof of another entry\.$/,
    )
    assert.equal(
      (
        await tamper(
          app,
          `delete from audit_log where position = 2; update audit_log set position = position + 999 where position > 2; update audit_log set position = position - 1000 where position > 900`,
        )
      ).length > 0,
      true,
    )
    const swapped = await tamper(
      app,
      `update audit_log set position = -position where position in (3, 4); update audit_log set position = 7 + position where position < 0`,
    )
    assert.ok(swapped.some((fault) => fault.includes('the order of the log was changed')))
    assert.deepEqual((await verify(app)).faults, [])
  },
)

verifies(
  'accounts:audit-chain',
  'what is inserted before it is sealed does not become genuine, and a chain whose end was set back is not continued',
  async () => {
    await using app = await startTestApp({ env: { ROLE: 'web' } })
    const { db } = app.app.ctx
    await write(app, 3)
    await sql`
      insert into audit_log (id, actor_kind, actor_id, actor_name, action, chain, mac)
      select 'aud_00000000-0000-7000-8000-000000000000', 'user', 'usr_1', 'Ada', 'approval.approved', chain, 'made-up'
      from audit_log where position = 1`.execute(db)
    await write(app, 1)
    assert.match((await verify(app)).faults.join(), /approval\.approved .* was edited, or inserted/)
    await sql`delete from audit_log where action = 'approval.approved'`.execute(db)
    await sql`update audit_keys set position = 2`.execute(db)
    await assert.rejects(write(app, 1), /The end of the audit log was changed by hand/)
    assert.ok((await verify(app)).faults.some((fault) => fault.includes('end of the chain')))
  },
)

verifies(
  'accounts:audit-chain',
  'two replicas that write and seal at the same moment leave one whole chain, whatever else the transactions lock',
  async () => {
    await using database = await createTestDatabase()
    await using one = await startTestApp({ databaseUrl: database.url })
    await using other = await startTestApp({ databaseUrl: database.url })
    const made = await one.api<{ id: string }>('POST', '/api/v1/api-keys', { name: 'Shared', role: 'member' })
    await Promise.all([
      ...[one, other, one, other].map(async (app, index) => {
        for (let round = 0; round < 8; round++) {
          const changed = await app.api('PATCH', `/api/v1/api-keys/${made.body.id}`, {
            name: `N${index}-${round}`,
          })
          assert.equal(changed.status, 200, changed.text)
        }
      }),
      ...[one, other].map(async ({ app }) => {
        for (let round = 0; round < 12; round++) await sealAuditLog(app.ctx.db)
      }),
    ])
    await sealAuditLog(one.app.ctx.db)
    const found = await verify(other)
    assert.deepEqual([found.ok, found.unsealed], [true, 0], found.faults.join('\n'))
    const { rows } = await sql<{ count: number; last: number }>`
      select count(*)::int as count, max(position)::int as last from audit_log`.execute(one.app.ctx.db)
    assert.equal(rows[0]?.count, rows[0]?.last)
    assert.ok(found.entries >= 33)
  },
)

verifies(
  ['accounts:audit-chain', 'accounts:audit-retention'],
  'entries that are deleted for their age leave the rest verifiable; the same by hand does not',
  async () => {
    await using app = await startTestApp({ env: { ROLE: 'web' } })
    const { db } = app.app.ctx
    await write(app, 4)
    const { entries } = await verify(app)
    const soon = firstIdAt('audit', new Date(Date.now() + 3_600_000))
    assert.equal(await pruneAuditLog(db, soon, 2), 2)
    const after = await verify(app)
    assert.deepEqual([after.ok, after.entries, after.deletedForAge], [true, entries - 2, 2])
    await write(app, 1)
    assert.equal((await verify(app)).ok, true)
    await sql`delete from audit_log where position = 3`.execute(db)
    assert.match((await verify(app)).faults.join(), /^One entry before .* was removed/)
  },
)

verifies(
  'accounts:audit-chain',
  'the end of the log is signed once a day; a head that was kept shows that the log was set back, and the command says so',
  async () => {
    await using database = await createTestDatabase()
    await using app = await startTestApp({ env: { ROLE: 'web' }, databaseUrl: database.url })
    const { ctx } = app.app
    await write(app, 3)
    await signHead(ctx)
    await signHead(ctx)
    const { rows } = await sql<{ head: string }>`select head from audit_heads`.execute(ctx.db)
    assert.equal(rows.length, 1)
    const head = rows[0]?.head ?? ''
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'head.txt')
    await writeFile(file, head)
    const run = (...args: string[]) => bellhop(database.url, ['audit', 'verify', ...args])
    const whole = await run('--head', file)
    assert.equal(whole.code, 0, whole.said)
    assert.match(whole.said, /^The audit log is complete and unchanged: \d+ entries/)

    await writeFile(file, `${head.slice(0, -4)}AAAA`)
    assert.match(
      (await run('--head', file)).said,
      /The signed head of the head that you gave is not signed by Bellhop/,
    )
    // Everything as if nothing had ever been logged: only the head that was kept elsewhere knows better.
    await writeFile(file, head)
    await sql`delete from audit_log`.execute(ctx.db)
    await sql`delete from audit_keys`.execute(ctx.db)
    await sql`delete from audit_heads`.execute(ctx.db)
    const set = await run('--head', file)
    assert.equal(set.code, 1)
    assert.match(
      set.said,
      /^The audit log was tampered with\.\n- On \d{4}-\d\d-\d\d the log had \d+ entries; it ends at entry 0 now\.\n$/,
    )
  },
)

function bellhop(databaseUrl: string, args: string[]): Promise<{ code: number; said: string }> {
  const main = join(import.meta.dirname, '../../src/main.ts')
  const env = { ...plainEnv, DATABASE_URL: databaseUrl, ENCRYPTION_KEY: testEncryptionKey }
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: stdout + stderr }),
    )
  })
}
