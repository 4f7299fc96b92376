import assert from 'node:assert/strict'
import { shareInFile } from '../support/share-in-file.ts'
import { startShopOn } from '../support/start-shop.ts'
import { loopback, startTestApp } from '../support/start-test-app.ts'
import { startStubAnthropic } from '../support/stub-anthropic.ts'
import { verifies } from '../support/verifies.ts'

const sharedApp = shareInFile(() => startTestApp({ env: loopback }))

type ShownTool = { name: string; description: string }

verifies(
  'runs:calculate',
  'calculate gives exact decimal results, and says what is wrong with an expression',
  async () => {
    const cases = {
      '0.1 + 0.2': '0.3',
      'sum(12.50, 7, [3, 4.25]) * 19%': '5.0825',
      '-(2 - 5) * 3 / 4': '2.25',
      '99999999999999999999.99 * 3': '299999999999999999999.97',
      '1 / 3 * 3': '1',
      'average([1, 2, 2])': '1.66666666666666666667 (rounded to 20 decimal places)',
      'max(min(3, -1.5), -2) + count([1, [2, 3]])': '1.5',
      '1 / (2 - 2)': 'error invalid_input: It divides by zero.',
      'process.exit()':
        'error invalid_input: process is not known. There are: + - * / % ( ) sum count average min max.',
      '1,234.50': 'error invalid_input: , is not expected there.',
      '((1)': 'error invalid_input: Expected ) at the end.',
      ['('.repeat(9000)]: 'error invalid_input: There are too many parentheses.',
    }
    const calls = Object.keys(cases).map((expression) => ({ name: 'calculate', input: { expression } }))
    await using model = await startStubAnthropic([{ calls }, { text: 'Calculated.' }])
    await using shop = await startShopOn(await sharedApp(), { model })
    const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    assert.deepEqual(
      run.steps[0]?.calls.map(({ result }) => result),
      Object.values(cases),
    )
  },
)

verifies(
  'runs:many-tools',
  'among 400 tools rare words, beginnings of words, inputs and paths find what is meant, and all names are listed',
  async () => {
    const things = [
      'ticket',
      'team',
      'person',
      'invoice',
      'user',
      'service',
      'report',
      'note',
      'label',
      'rule',
    ]
    const verbs = ['put', 'assign', 'list', 'get', 'archive', 'copy', 'export', 'import', 'move', 'rename']
    const noise = Array.from({ length: 396 }, (_, n) => {
      const [verb, thing] = [verbs[n % 10], things[Math.floor(n / 10) % 10]]
      return {
        name: `${verb}_${thing}_${n}`,
        description: `Puts someone on a ${thing}, or assigns a person (${n})`,
        path: `/n${n}`,
        inputs: [],
      }
    })
    const meant = [
      {
        name: 'create_schedule',
        description: 'Creates a schedule of who is on call',
        path: '/schedules',
        inputs: [],
      },
      {
        name: 'update_incident',
        description: 'Changes an incident, e.g. marks it as resolved',
        path: '/incidents',
        inputs: [],
      },
      { name: 'send_money', description: 'Moves funds', path: '/iban-transfers', inputs: [] },
      { name: 'open_door', description: 'Lets in', path: '/doors', inputs: ['badgeNumber'] },
    ]
    const tools = [...noise, ...meant].map(({ path, ...offered }) => ({
      name: offered.name,
      description: offered.description,
      method: 'POST',
      path,
      capability: 'write',
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(offered.inputs.map((name) => [name, { type: 'string' }])),
      },
    }))
    const queries = ['put someone on call', 'resolve', 'iban', 'badge numbers']
    await using model = await startStubAnthropic([
      { calls: queries.map((query) => ({ name: 'find_tools', input: { query } })) },
      { text: 'Found.' },
    ])
    await using shop = await startShopOn(await sharedApp(), { model, tools })
    const run = await shop.endedRun((await shop.sendEvent(await shop.createWebhook())).runId)
    const found = run.steps[0]?.calls.map(({ result }) => /\nshop__(\w+):/.exec(result ?? '')?.[1])
    assert.deepEqual(found, ['create_schedule', 'update_incident', 'send_money', 'open_door'])
    const shown = model.requests[0]?.json.tools as ShownTool[] // Anthropic's wire format
    const listed = shown.find(({ name }) => name === 'find_tools')?.description ?? ''
    assert.deepEqual(
      listed.match(/shop__\w+/g),
      tools.map(({ name }) => `shop__${name}`),
    )
    assert.ok(Buffer.byteLength(listed) < 12_500, `${listed.length}`)
  },
)
