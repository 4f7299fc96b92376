import assert from 'node:assert/strict'
import { repairAnswers } from '../../src/runs/models/repair-answers.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'models:providers',
  'a failure with status 200 is recognised by its code; every call of an answer gets its input as text',
  async () => {
    const ask = (body: object) => repairAnswers(async () => Response.json(body))('http://model.example/')
    for (const [code, status] of [
      [503, 503],
      ['rate_limit_exceeded', 429],
      ['invalid_prompt', 400],
      ['odd', 502],
    ] as const)
      assert.equal((await ask({ error: { code, message: 'No.' } })).status, status)

    const call = (input: unknown) => ({ type: 'function', function: { name: 'f', arguments: input } })
    const choices = (input: unknown[]) => ({ choices: [{ message: { tool_calls: input.map(call) } }] })
    const mended = await ask(choices(['{"a":1}', { b: 2 }, null]))
    assert.deepEqual(await mended.json(), choices(['{"a":1}', '{"b":2}', '{}']))
  },
)
