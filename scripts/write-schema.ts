import { writeFile } from 'node:fs/promises'
import pg from 'pg'
import { databaseUrl, startTestServer, template } from '../test/support/postgres.ts'
import { schemaFile, schemaPage } from './describe-schema.ts'

/** `npm run schema`: docs/schema.sql, from a new database with all migrations. */
await using server = await startTestServer()
const client = new pg.Client({ connectionString: databaseUrl(server.url, template) })
await client.connect()
await writeFile(schemaFile, await schemaPage(client))
await client.end()
