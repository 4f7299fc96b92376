import assert from 'node:assert/strict'
import { importCurl } from '../../src/connectors/import/import-curl.ts'
import { verifies } from '../support/verifies.ts'

verifies('import:curl', 'no credential of a curl line becomes an example in the schema', () => {
  for (const [line, warnings] of [
    [`curl https://a.example.test/x -d '{"tokens":["planted-1"]}'`, 1],
    [`curl https://a.example.test/x -d '{"secret":{"value":"planted-2"}}'`, 1],
    [`curl https://a.example.test/x -d '{"user":{"name":"Kim","dbPass":"planted-3"}}'`, 0],
    [`curl https://a.example.test/x -d '{"pass":"planted-4","pwd":"planted-5","pw":"planted-6"}'`, 3],
    [`curl 'https://a.example.test/x?api_key=planted-7&api_key=planted-8'`, 1],
    [`curl 'https://a.example.test/x?appid=planted-9&sig=planted-10&X-Amz-Signature=planted-11'`, 3],
    [`curl https://a.example.test/services/T00000000/B0A1B2C3D/planted3dE6gH9jK2mN5pQ8sT1vW4 -d a=1`, 0],
    ['curl https://a.example.test/tokens/4711000', 1],
  ] as const) {
    const preview = importCurl(line)
    assert.doesNotMatch(JSON.stringify(preview), /planted|4711000/, line)
    assert.equal(preview.warnings.length, warnings, line)
  }
  const harmless = importCurl('curl "https://a.example.test/x?design=a&compass=b&passenger=c&assignee=d"')
  assert.deepEqual(harmless.warnings, [])
  assert.deepEqual(harmless.tools[0]?.inputSchema.properties, {
    design: { type: 'string', examples: ['a'] },
    compass: { type: 'string', examples: ['b'] },
    passenger: { type: 'string', examples: ['c'] },
    assignee: { type: 'string', examples: ['d'] },
  })
  // A placeholder has no value that could be left out.
  assert.doesNotMatch(importCurl('curl https://a.example.test/t/{token}').warnings.join(), /left out/)
})
