import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { parse } from 'yaml'
import { presetNames } from '../../src/webhooks/contract.ts'
import { verifies } from '../support/verifies.ts'
import { startWebhookApp, type WebhookApp } from './start-webhook-app.ts'

type Script = { command: string; file: string; text: string; env: Record<string, string> }
type Sender = { name: string; needs: string[]; script(snippet: string, url: string, secret: string): Script }

const senders: Sender[] = [
  {
    name: 'curl',
    needs: ['bash', 'curl', 'openssl'],
    script: (text, _url, secret) => ({
      command: 'bash',
      file: 'send.sh',
      text,
      env: { WEBHOOK_SECRET: secret },
    }),
  },
  {
    name: 'Node',
    needs: [],
    script: (text, _url, secret) => ({
      command: process.execPath,
      file: 'send.mjs',
      text,
      env: { WEBHOOK_SECRET: secret },
    }),
  },
  {
    name: 'Python',
    needs: ['python3'],
    script: (text, _url, secret) => ({
      command: 'python3',
      file: 'send.py',
      text,
      env: { WEBHOOK_SECRET: secret },
    }),
  },
  { name: 'GitHub Actions', needs: ['bash', 'curl', 'openssl'], script: stepOfWorkflow },
]

/** What the runner does with the one step: its expressions filled in, its lines given to bash. */
function stepOfWorkflow(workflow: string, url: string, secret: string): Script {
  type Workflow = { jobs: Record<string, { steps: { env: Record<string, string>; run: string }[] }> }
  // The shape is what the runner requires of a workflow.
  const [job] = Object.values((parse(workflow) as Workflow).jobs)
  const [step] = job?.steps ?? []
  assert.ok(step)
  const secrets: Record<string, string> = {
    '${{ secrets.BELLHOP_WEBHOOK_URL }}': url,
    '${{ secrets.BELLHOP_WEBHOOK_SECRET }}': secret,
  }
  const env = Object.fromEntries(
    Object.entries(step.env).map(([name, expression]) => [name, secrets[expression] ?? assert.fail(name)]),
  )
  return { command: 'bash', file: 'step.sh', text: step.run, env }
}

const generic = { preset: 'generic', header: 'X-Sig' }
const secretOf: Record<string, string> = {
  hex: 'c0ffee'.repeat(8),
  base64: Buffer.alloc(24, 1).toString('base64'),
}

/** Every preset as it comes, and by hand each part of a scheme that could go wrong between quotes. */
const verifications: (Record<string, unknown> | null)[] = [
  null,
  ...presetNames.map((preset) => ({ preset })),
  { preset: 'shared_secret', header: 'Authorization', prefix: 'Bearer ' },
  { preset: 'grafana', timestampHeader: 'X-Grafana-Alerting-Timestamp' },
  { ...generic, algorithm: 'equality', listKey: 'k' },
  {
    ...generic,
    algorithm: 'hmac-sha512',
    encoding: 'base64url',
    listKey: 's',
    timestampListKey: 't',
    template: '{ts}.{body}',
  },
  { ...generic, keyEncoding: 'hex', encoding: 'hex-upper', template: '{method} {url}\n{body}' },
  {
    ...generic,
    keyEncoding: 'base64',
    encoding: 'base64',
    template: '{header:content-type}"$HOME`\\\'%s{body}!',
    prefix: '$1`"=',
  },
  {
    ...generic,
    timestampHeader: 'X-Time',
    timestampUnit: 'iso',
    template: '{header:X-One}{header:x-one}{header:X-Time}{ts}{body}',
  },
]

const byTheSenderOnly = ['linear', 'twilio', 'discord']

for (const sender of senders) {
  const missing = sender.needs.filter((tool) => spawnSync(tool, ['--version']).error !== undefined)
  verifies(
    'hooks:snippets',
    `the ready code for ${sender.name} delivers to every webhook that a script can sign for${
      missing.length > 0 ? ` — NOT RUN: this machine has no ${missing.join(' and no ')}` : ''
    }`,
    async () => {
      await using app = await startWebhookApp({ quiet: true })
      for (const settings of verifications) {
        const secret = secretOf[String(settings?.keyEncoding)] ?? secretOf.base64 ?? ''
        const made = await offered(app, settings, secret)
        if (byTheSenderOnly.includes(String(settings?.preset))) {
          assert.deepEqual(Object.keys(made.snippets), ['Sender'])
          continue
        }
        assert.deepEqual(Object.keys(made.snippets), ['curl', 'Node', 'Python', 'GitHub Actions'])
        const snippet = made.snippets[sender.name] ?? ''
        assert.ok(!snippet.includes(secret))
        if (missing.length > 0) continue
        const output = await run(sender.script(snippet, made.endpointUrl, secret))
        assert.match(output, /"status":"accepted"/, `${JSON.stringify(settings)}\n${snippet}\n${output}`)
        assert.equal((await lastBody(app)).order.customer, "Zoë O'Neill")
      }
    },
  )
}

verifies('hooks:snippets', 'any other JSON in place of the sample is signed and sent as it is', async () => {
  await using app = await startWebhookApp({ quiet: true })
  const { endpointUrl, snippets } = await offered(app, { preset: 'github' }, 'a secret')
  const nasty = `{"$HOME":"\`id\` $(id) \${x} %s \\\\ \\"\\"\\" ''' ! #","\\u0000":"\\ud800","ä":"😀",\n\n  "EOF":null,"t":[true,""]}`
  for (const sender of senders) {
    if (sender.needs.some((tool) => spawnSync(tool, ['--version']).error !== undefined)) continue
    const snippet = snippets[sender.name] ?? ''
    const sample = /\{\s+"event": [\s\S]*?\n *\}/.exec(snippet)?.[0]
    assert.ok(sample, snippet)
    const indent = /^ */.exec(sample.split('\n').at(-1) ?? '')?.[0] ?? ''
    const changed = snippet.replace(sample, () => nasty.replaceAll('\n', `\n${indent}`))
    const output = await run(sender.script(changed, endpointUrl, 'a secret'))
    assert.match(output, /"status":"accepted"/, `${changed}\n${output}`)
    assert.deepEqual(await lastBody(app), JSON.parse(nasty))
  }
})

verifies('hooks:snippets', 'a delivery that is refused shows Bellhop’s answer', async () => {
  await using app = await startWebhookApp({ quiet: true })
  const { endpointUrl, snippets } = await offered(app, { preset: 'github' }, 'a secret')
  for (const sender of senders) {
    if (sender.needs.some((tool) => spawnSync(tool, ['--version']).error !== undefined)) continue
    const output = await run(sender.script(snippets[sender.name] ?? '', endpointUrl, 'another secret'))
    assert.match(output, /page in the dashboard shows the reason/, sender.name)
  }
})

verifies(
  'hooks:snippets',
  'without its secret, or without the URL in a workflow, the ready code sends nothing and says which variable to set',
  async () => {
    await using app = await startWebhookApp({ quiet: true })
    for (const preset of ['github', 'standard_webhooks', 'shared_secret']) {
      const { endpointUrl, snippets } = await offered(app, { preset }, secretOf.base64 ?? '')
      for (const sender of senders) {
        if (sender.needs.some((tool) => spawnSync(tool, ['--version']).error !== undefined)) continue
        const script = sender.script(snippets[sender.name] ?? '', endpointUrl, '')
        const { WEBHOOK_SECRET: _, ...unset } = script.env
        for (const env of [unset, script.env]) {
          const output = await run({ ...script, env })
          assert.match(
            output,
            /Set WEBHOOK_SECRET to the secret of this webhook/,
            `${sender.name}\n${output}`,
          )
          assert.doesNotMatch(output, /Traceback|\bat \S+\.mjs|"status"/, sender.name)
        }
      }
    }
    const { snippets } = await offered(app, null, '')
    const step = stepOfWorkflow(snippets['GitHub Actions'] ?? '', '', '')
    assert.match(await run(step), /Set BELLHOP_WEBHOOK_URL among the secrets/)
    const { rows } = await sql`select 1 from refusals`.execute(app.db)
    assert.equal(rows.length, 0)
  },
)

async function offered(app: WebhookApp, settings: Record<string, unknown> | null, secret: string) {
  const webhook = await app.create({
    verification: settings && {
      ...settings,
      secrets: [settings.preset === 'discord' ? 'ab'.repeat(32) : secret],
    },
  })
  const path = `/api/v1/webhooks/${webhook.id}`
  const { items } = await app.test.get<{ items: { name: string; text: string }[] }>(`${path}/snippets`)
  const masked = (await app.test.get<{ endpointUrl: string }>(path)).endpointUrl
  // As the page does once somebody asked for the whole URL.
  const snippets = Object.fromEntries(
    items.map(({ name, text }): [string, string] => [name, text.replaceAll(masked, webhook.endpointUrl)]),
  )
  return { endpointUrl: webhook.endpointUrl, snippets }
}

async function run(script: Script): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bellhop-snippet-'))
  try {
    await writeFile(join(folder, script.file), script.text)
    const child = spawn(script.command, [...(script.command === 'bash' ? ['-e'] : []), script.file], {
      cwd: folder,
      env: { PATH: process.env.PATH, ...script.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)])
    return said || complained
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function lastBody(app: WebhookApp): Promise<{ order: { customer: string } }> {
  const { rows } = await sql<{ body: Buffer }>`select body from events order by id desc limit 1`.execute(
    app.db,
  )
  // The sample of the snippet, which this test compares with what it knows of it.
  return JSON.parse(rows[0]?.body.toString('utf8') ?? '')
}
