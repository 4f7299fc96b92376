import assert from 'node:assert/strict'
import { preserveNumbers } from '../../src/models/preserve-numbers.ts'
import { readModelResponses } from '../../src/models/read-model-response.ts'
import { verifies } from '../support/verifies.ts'

const read = (answer: () => Response) => readModelResponses(async () => answer(), null, preserveNumbers())

verifies(
  'models:providers',
  'a failure with status 200 is recognised by its code; every call of an answer gets its input as text',
  async () => {
    const ask = (body: object) => read(() => Response.json(body))('http://model.example/')
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

verifies(
  'models:providers',
  'token counts that are no numbers are left out, and those without which an answer cannot be read are 0',
  async () => {
    const usageOf = async (body: string) => {
      const mended = await read(() => new Response(body))('http://model.example/')
      const { usage, usageMetadata } = JSON.parse(await mended.text())
      return usage ?? usageMetadata
    }
    const none = { input_tokens: 0, output_tokens: 0 }
    for (const usage of ['null', '"many"', '{}', '{"input_tokens":null,"output_tokens":1e400}'])
      assert.deepEqual(await usageOf(`{"type":"message","usage":${usage}}`), none)
    assert.deepEqual(await usageOf('{"type":"message"}'), none)
    assert.deepEqual(
      await usageOf(
        '{"object":"response","usage":{"output_tokens":7,"output_tokens_details":{"a":"?","b":1.0}}}',
      ),
      { input_tokens: 0, output_tokens: 7, output_tokens_details: { b: 1 } },
    )
    assert.deepEqual(
      await usageOf('{"candidates":[],"usageMetadata":{"promptTokenCount":"5","totalTokenCount":6}}'),
      { totalTokenCount: 6 },
    )
  },
)
