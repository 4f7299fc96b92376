import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { schemaFile, schemaPage } from '../../scripts/describe-schema.ts'
import { createTestDatabase } from '../support/test-database.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'db:schema-described',
  'docs/schema.sql is what the migrations create; every table says what a row is; there are no functions and no triggers',
  async () => {
    await using test = await createTestDatabase()
    const client = new pg.Client({ connectionString: test.url })
    await client.connect()
    const page = await schemaPage(client)
    const { rows } = await client.query(`
      select proname as name from pg_proc where pronamespace = 'public'::regnamespace
      union all
      select tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid
      where not tgisinternal and c.relnamespace = 'public'::regnamespace`)
    await client.end()
    assert.equal(await readFile(schemaFile, 'utf8'), page, 'Run npm run schema.')
    const undescribed = [...page.matchAll(/(?<!Written by [a-z]+\.\n)create table ([a-z_]+)/g)].map(
      ([, table]) => table,
    )
    assert.deepEqual(undescribed, [])
    assert.deepEqual(rows, [])
  },
)
