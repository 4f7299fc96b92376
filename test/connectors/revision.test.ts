import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'

test('every function that writes connectors, headers or tools increments the revision that caches compare', async () => {
  const writers: string[] = []
  const forgetful: string[] = []
  for await (const file of glob('src/connectors/**/*.ts')) {
    const functions = (await readFile(file, 'utf8')).split(/^(?=(?:export )?(?:async )?function )/m)
    for (const text of functions) {
      if (!/(?:insert into|update|delete from) (?:connectors|connector_headers|tools|mcp_tools)\b/.test(text))
        continue
      writers.push(text)
      if (!text.includes('incrementRevision(tx)')) forgetful.push(text.slice(0, 80))
    }
  }
  assert.ok(writers.length > 10)
  assert.deepEqual(forgetful, [])
})
