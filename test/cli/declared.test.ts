import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { parse } from 'yaml'
import { describeCurrentConfig } from '../../src/cli/declared/describe-current-config.ts'
import { fillVariables } from '../../src/cli/declared/fill-variables.ts'
import { newId } from '../../src/shared/ids.ts'
import { runBellhop as bellhop } from '../support/run-bellhop.ts'
import { startTarget } from '../support/start-target.ts'
import { startTestApp, testApiKey } from '../support/start-test-app.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { verifies } from '../support/verifies.ts'

const reference = (name: string) => `\${${name}}`

const file = `
connectors:
  - name: Shop
    type: http
    baseUrl: https://api.example.com/v1
    authType: bearer
    authValue: \${SHOP_AUTH_VALUE}
    defaultHeaders: { X-Region: eu }
    tools:
      - name: refund_order
        description: Pays back
        method: POST
        path: /orders/{id}/refund
        capability: write
        inputSchema: { type: object, properties: { id: { type: string }, amount: { type: number } }, required: [id] }
      - name: get_order
        description: Reads an order
        method: GET
        path: /orders/{id}
        capability: read
        inputSchema: { type: object, properties: { id: { type: string } }, required: [id] }
channels:
  - name: orders
    connectors: [Shop]
    readsAcross: one
    watch: { from: apps, prompt: Look into it., perHour: 12 }
policies:
  - name: Small refunds
    tool: shop__refund_order
    when: input.amount <= 50
    then: auto
    cap: { calls: 20, per: day, sum: { of: /amount, max: 500 } }
    for: { webhooks: [Orders], channels: [orders] }
schedules:
  - name: Morning report
    channel: orders
    prompt: Say what came in overnight.
    cron: 0 9 * * 1-5
    timeZone: Europe/Berlin
webhooks:
  - name: Orders
    channel: orders
    prompt: Say what happened.
    connectors: [Shop]
    ceiling: read
    readsAcross: one
    verification: { preset: github, secrets: ["\${ORDERS_SECRET}"] }
    rules:
      - { when: event.action == 'labeled', then: skip }
      - { when: event.urgent, then: run, channel: orders, prompt: Hurry. }
      - { when: event.state == 'paid', then: notify, text: "Paid: {/id}", closes: true }
    threadKey: /id
    threadDays: 3
    collect: { quietSeconds: 30, maxSeconds: 300 }
`

verifies(
  ['cli:apply', 'cli:export'],
  'a file creates connectors and webhooks, export writes the same without secrets, and applying the export changes nothing',
  async () => {
    await using app = await startTestApp()
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'bellhop.yaml')
    await writeFile(path, file)
    const env = { PUBLIC_URL: app.url, API_KEY: testApiKey }

    const unset = await bellhop(['apply', '-f', path], env)
    assert.equal(unset.code, 1)
    assert.match(
      unset.err,
      /These variables are not set, so nothing was changed: SHOP_AUTH_VALUE, ORDERS_SECRET/,
    )
    assert.equal((await app.get<{ items: unknown[] }>('/api/v1/connectors')).items.length, 0)

    const secrets = { SHOP_AUTH_VALUE: 'planted-token', ORDERS_SECRET: 'planted-secret' }
    const applied = await bellhop(['apply', '-f', path], { ...env, ...secrets })
    assert.equal(applied.code, 0, applied.err)
    assert.match(
      applied.out,
      /^created connector Shop\ncreated channel orders\ncreated webhook Orders: http.*\/hooks\/whk_.*\ncreated schedule Morning report\ncreated policy Small refunds\n/,
    )

    // Another platform may have a channel of the same name, and a prompt may look like a reference.
    const acme = await app.api<{ id: string }>('POST', '/api/v1/workspaces', {
      platform: 'slack',
      name: 'Acme',
    })
    const channelId = newId('channel')
    await sql`
      insert into channels (id, workspace_id, external_id, name)
      values (${channelId}, ${acme.body.id}, 'C1', 'orders')`.execute(app.app.ctx.db)
    const prompt = `Name the \${total}.`
    const loud = { name: 'Loud', channelId, prompt, active: true }
    assert.equal((await app.api('POST', '/api/v1/webhooks', loud)).status, 201)

    const exported = await bellhop(['export'], env)
    assert.equal(exported.code, 0, exported.err)
    assert.ok(!exported.out.includes('planted'))
    const declared = parse(exported.out)
    assert.equal(declared.connectors[0].authValue, reference('SHOP_AUTH_VALUE'))
    const [elsewhere, orders] = declared.webhooks
    assert.deepEqual(orders.verification.secrets, [reference('ORDERS_SECRET')])
    assert.equal(orders.channel, 'orders')
    assert.deepEqual(orders.connectors, ['Shop'])
    assert.deepEqual(
      [elsewhere.channel, elsewhere.prompt],
      ['Acme: orders', `Name the $${reference('total')}.`],
    )
    const watch = { from: 'apps', when: null, prompt: 'Look into it.', ceiling: 'read', perHour: 12 }
    assert.deepEqual(declared.channels, [{ name: 'orders', connectors: ['Shop'], readsAcross: 'one', watch }])
    assert.deepEqual([orders.readsAcross, elsewhere.readsAcross], ['one', 'all'])
    assert.deepEqual(
      [orders.threadKey, orders.threadDays, orders.collect],
      ['/id', 3, { quietSeconds: 30, maxSeconds: 300 }],
    )
    assert.deepEqual(orders.rules, parse(file).webhooks[0].rules)
    assert.equal(declared.schedules[0].channel, 'orders')
    assert.deepEqual(declared.policies[0].for, { webhooks: ['Orders'], channels: ['orders'] })

    const before = await app.get<{ items: { version: number; id: string }[] }>('/api/v1/connectors')
    assert.equal((await bellhop(['export', '-f', path], env)).code, 0)
    assert.equal(await readFile(path, 'utf8'), exported.out)
    const again = await bellhop(['apply', '-f', path], { ...env, ...secrets })
    assert.equal(again.code, 0, again.err)
    assert.equal(
      again.out,
      'unchanged connector Shop\nunchanged channel orders\nunchanged webhook Loud\nunchanged webhook Orders\nunchanged schedule Morning report\nunchanged policy Small refunds\n',
    )
    const after = await app.get<{ items: { version: number; id: string }[] }>('/api/v1/connectors')
    assert.deepEqual(
      after.items.map(({ id, version }) => ({ id, version })),
      before.items.map(({ id, version }) => ({ id, version })),
    )
    const { items } = await app.get<{ items: { prompt: string; channelId: string }[] }>('/api/v1/webhooks')
    assert.deepEqual([items[0]?.prompt, items[0]?.channelId], [prompt, channelId])

    // An installation that has none of it, at an address as a browser shows it.
    for (const kind of ['policies', 'schedules', 'webhooks', 'connectors']) {
      const { items: there } = await app.get<{ items: { id: string }[] }>(`/api/v1/${kind}`)
      for (const { id } of there) assert.equal((await app.api('DELETE', `/api/v1/${kind}/${id}`)).status, 204)
    }
    const anew = await bellhop(['apply', '-f', path, '--url', `${app.url}/`], { ...env, ...secrets })
    assert.equal(anew.code, 0, anew.err)
    assert.match(
      anew.out,
      /created connector Shop\nchanged channel orders\n(created webhook .*\n){2}created schedule Morning report\ncreated policy Small refunds\n/,
    )

    await writeFile(path, 'webhooks: [{ name: Orders, channel: orders, prompt: Only this. }]')
    const partly = await bellhop(['apply', '-f', path], env)
    assert.deepEqual([partly.code, partly.out], [0, 'changed webhook Orders\n'], partly.err)
    const now = parse((await bellhop(['export'], env)).out).webhooks.find(
      ({ name }: { name: string }) => name === 'Orders',
    )
    assert.deepEqual([now.prompt, now.connectors], ['Only this.', ['Shop']], 'what it does not mention stays')

    await writeFile(path, `${file}  - { name: Late, channel: new, prompt: x, concurrency: 0 }\n`)
    const refused = await bellhop(['apply', '-f', path], { ...env, ...secrets, SHOP_AUTH_VALUE: 'another' })
    assert.equal(
      refused.out,
      'changed connector Shop\nunchanged channel orders\nchanged webhook Orders\ncreated channel new\n',
    )
    assert.match(refused.err, /webhook Late: POST \/webhooks answered 422.*\n {2}\/concurrency/)

    await writeFile(path, 'webhooks: [{ name: Lost, channel: "Nobody: orders", prompt: x }]\n')
    const lost = await bellhop(['apply', '-f', path], env)
    assert.match(lost.err, /No workspace that is connected has the channel "Nobody: orders"/)
  },
)

verifies(
  ['cli:apply', 'cli:export'],
  'a connector whose credential was cleared is exported with a variable for it, so that the file can be applied',
  async () => {
    await using app = await startTestApp()
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'bellhop.yaml')
    const env = { API_KEY: testApiKey, PUBLIC_URL: app.url }
    const shop = { type: 'http', name: 'Shop', baseUrl: 'https://api.example.com', authType: 'bearer' }
    const made = await app.api<{ id: string }>('POST', '/api/v1/connectors', {
      ...shop,
      authValue: 'planted',
      tools: [],
    })
    await app.api('PATCH', `/api/v1/connectors/${made.body.id}`, { baseUrl: 'https://new.example.com' })
    assert.equal((await bellhop(['export', '-f', path], env)).code, 0)
    const applied = await bellhop(['apply', '-f', path], { ...env, SHOP_AUTH_VALUE: 'another' })
    assert.deepEqual([applied.code, applied.out.trim(), applied.err], [0, 'changed connector Shop', ''])
  },
)

verifies(
  ['cli:apply', 'cli:export', 'approvals:groups', 'accounts:groups'],
  'groups and who approves are in the file, by names and addresses; a group or a person who is not there is named',
  async () => {
    await using app = await startTestApp()
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'bellhop.yaml')
    const env = { API_KEY: testApiKey, PUBLIC_URL: app.url }
    const person = { email: 'fin@example.com', name: 'Fin', role: 'member' }
    const written = `
groups:
  - { name: Finance, users: [fin@example.com], slackUserGroup: S0614TZR7, oidcClaim: groups=finance }
approvals: { adminsMayApprove: false }
connectors:
  - name: Shop
    type: http
    baseUrl: https://api.example.com/v1
    tools:
      - { name: refund, description: Pays back, method: POST, path: /refunds, capability: write, inputSchema: { type: object } }
    approvers:
      refund: { approvers: [Finance], approvalsNeeded: 2, escalate: [{ afterMinutes: 15, to: Finance }] }
policies:
  - { name: Large, tool: shop__refund, when: input.amount > 1000, then: confirm, approvers: [Finance], requesterMayApprove: false }
`
    await writeFile(path, written)
    assert.match((await bellhop(['apply', '-f', path], env)).err, /There is no user "fin@example.com"/)
    assert.equal((await app.api('POST', '/api/v1/users', person)).status, 201)
    const lines = ['group Finance', 'connector Shop', 'approvers of Shop refund', 'policy Large']
    const all = (outcome: string) => lines.map((line) => `${outcome} ${line}\n`).join('')
    const applied = await bellhop(['apply', '-f', path], env)
    const [group = '', ...others] = all('created').split(/(?<=\n)/)
    assert.deepEqual([applied.err, applied.out], ['', [group, 'changed approvals\n', ...others].join('')])
    assert.equal((await bellhop(['export', '-f', path], env)).code, 0)
    const { groups, connectors, policies } = parse(await readFile(path, 'utf8'))
    assert.deepEqual(groups, parse(written).groups)
    assert.deepEqual(parse(await readFile(path, 'utf8')).approvals, { adminsMayApprove: false })
    assert.deepEqual(connectors[0].approvers, parse(written).connectors[0].approvers)
    assert.deepEqual([policies[0].approvers, policies[0].requesterMayApprove], [['Finance'], false])
    const again = await bellhop(['apply', '-f', path], env)
    const same = all('unchanged').replace('\n', '\nunchanged approvals\n')
    assert.deepEqual([again.err, again.out], ['', same])
    await writeFile(path, written.replaceAll('approvers: [Finance]', 'approvers: [Board]'))
    assert.match(
      (await bellhop(['apply', '-f', path], env)).err,
      /approvers of Shop refund: There is no group "Board"/,
    )
  },
)

verifies('cli:apply', 'an invalid file, a missing key and an unreachable service are explained', async () => {
  await using folder = await temporaryFolder()
  const path = join(folder.path, 'bellhop.yaml')
  await writeFile(path, 'webhooks:\n  - prompt: x\nservers: []\n')
  const bad = await bellhop(['apply', '-f', path], { API_KEY: testApiKey })
  assert.match(bad.err, /\n {2}webhooks\.0\.name: This field is required\.\n/)
  assert.match(bad.err, /\n {2}servers: Unknown field\.\n/)
  await writeFile(path, ': : :')
  assert.match(
    (await bellhop(['apply', '-f', path], {})).err,
    /^\S*bellhop\.yaml is not valid YAML: .*line 1/,
  )
  for (const command of ['apply', 'verify'])
    assert.match(
      (await bellhop([command, '-f', `${path}.old`], {})).err,
      /^There is no file \S*bellhop\.yaml\.old\.$/m,
    )
  await writeFile(path, 'connectors: []\n')
  assert.match((await bellhop(['apply', '-f', path], {})).err, /An API key is needed/)
  assert.match(
    (await bellhop(['apply', '-f', path], { API_KEY: testApiKey, PORT: '1' })).err,
    /Bellhop does not answer at http:\/\/localhost:1/,
  )
  assert.match((await bellhop(['apply'], {})).err, /Name the file/)
  // As a proxy that redirects from http to https does.
  await using proxy = await startTarget((_request, response) => {
    response.writeHead(301, { location: 'https://bellhop.example.com/' }).end('<html></html>')
  })
  const led = await bellhop(['apply', '-f', path, '--url', proxy.origin], { API_KEY: testApiKey })
  assert.match(led.err, /answered 301, and not as Bellhop does.*--url/)
})

verifies(
  ['cli:apply', 'cli:export'],
  'two things of one name are refused before anything is changed or written, since a file knows them by name',
  async () => {
    await using app = await startTestApp()
    await using folder = await temporaryFolder()
    const path = join(folder.path, 'bellhop.yaml')
    const env = { PUBLIC_URL: app.url, API_KEY: testApiKey }
    const shop = (baseUrl: string) => ({ type: 'http', name: 'Shop', baseUrl })
    const several = /^There are several connectors called "Shop"\. Rename all but one/
    // A webhook limited to the first would be limited to the second instead.
    const [first, second] = [shop('https://eu.example.com'), shop('https://us.example.com')]
    await writeFile(path, JSON.stringify({ connectors: [first, second] }))
    const applied = await bellhop(['apply', '-f', path], env)
    assert.deepEqual([applied.code, applied.out], [1, ''])
    assert.match(applied.err, several)
    assert.deepEqual((await app.get<{ items: unknown[] }>('/api/v1/connectors')).items, [])

    for (const one of [first, second])
      assert.equal((await app.api('POST', '/api/v1/connectors', one)).status, 201)
    const exported = await bellhop(['export'], env)
    assert.deepEqual([exported.code, exported.out], [1, ''])
    assert.match(exported.err, several)
  },
)

verifies(
  'cli:export',
  'each secret has a variable of its own that a shell can set, whatever its connector or webhook is called',
  () => {
    const connectors = ['Заказы', '订单', '24/7', 'Shop', 'shop'].map((name, n) => {
      return { id: `con_${n}`, name, type: 'http', authValue: { set: true }, tools: [] }
    })
    const verification = { preset: 'github', secrets: { set: true, count: 2 } }
    const webhooks = ['Orders EU', 'Orders-EU'].map((name, n) => ({ id: `hook_${n}`, name, verification }))
    const people = { groups: [], users: [], toolApprovers: [], approvals: { adminsMayApprove: true } }
    const asked: string[] = []
    fillVariables(
      describeCurrentConfig({ connectors, webhooks, schedules: [], policies: [], channels: [], ...people }),
      (name) => {
        asked.push(name)
        return 'filled'
      },
    )
    assert.equal(new Set(asked).size, 9, asked.join(' '))
  },
)
