import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { parse } from 'yaml'
import { presetNames } from '../../src/webhooks/contract.ts'
import { shareInFile } from '../support/share-in-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { verifies } from '../support/verifies.ts'
import { startWebhookApp, type WebhookApp } from './start-webhook-app.ts'

const sharedApp = shareInFile(() => startWebhookApp({ quiet: true }))

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

const missing = (sender: Sender) =>
  sender.needs.filter((tool) => spawnSync(tool, ['--version']).error !== undefined)
const notRun = senders
  .filter((sender) => missing(sender).length > 0)
  .map((sender) => ` — NOT RUN for ${sender.name}: this machine has no ${missing(sender).join(' and no ')}`)
const runnable = senders.filter((sender) => missing(sender).length === 0)

verifies(
  'hooks:snippets',
  `the ready code for curl, Node, Python and GitHub Actions delivers to every webhook that a script can sign for${notRun.join('')}`,
  async () => {
    const app = await sharedApp()
    const offers: Offer[] = []
    for (const settings of verifications) {
      const secret = secretOf[String(settings?.keyEncoding)] ?? secretOf.base64 ?? ''
      const offer = await offered(app, settings, secret)
      const names = Object.keys(offer.snippets)
      if (byTheSenderOnly.includes(String(settings?.preset))) {
        assert.deepEqual(names, ['Sender'])
        continue
      }
      assert.deepEqual(names, ['curl', 'Node', 'Python', 'GitHub Actions'])
      for (const snippet of Object.values(offer.snippets)) assert.ok(!snippet.includes(secret))
      offers.push(offer)
    }
    for (const sender of runnable) {
      const outputs = await runAll(
        sender,
        offers.map(({ snippets, endpointUrl, secret }) =>
          sender.script(snippets[sender.name] ?? '', endpointUrl, secret),
        ),
      )
      for (const [n, { settings, snippets }] of offers.entries()) {
        const output = outputs[n] ?? ''
        const says = `${sender.name} ${JSON.stringify(settings)}\n${snippets[sender.name]}\n${output}`
        assert.match(output, /"status":"accepted"/, says)
        const eventId = /"eventId":"([^"]+)"/.exec(output)?.[1] ?? ''
        assert.equal((await bodyOf(app, eventId)).order.customer, "Zoë O'Neill", says)
      }
    }
  },
)

verifies('hooks:snippets', 'any other JSON in place of the sample is signed and sent as it is', async () => {
  const app = await sharedApp()
  const { endpointUrl, snippets } = await offered(app, { preset: 'github' }, 'a secret')
  const nasty = `{"$HOME":"\`id\` $(id) \${x} %s \\\\ \\"\\"\\" ''' ! #","\\u0000":"\\ud800","ä":"😀",\n\n  "EOF":null,"t":[true,""]}`
  for (const sender of runnable) {
    const snippet = snippets[sender.name] ?? ''
    const sample = /\{\s+"event": [\s\S]*?\n *\}/.exec(snippet)?.[0]
    assert.ok(sample, snippet)
    const indent = /^ */.exec(sample.split('\n').at(-1) ?? '')?.[0] ?? ''
    const changed = snippet.replace(sample, () => nasty.replaceAll('\n', `\n${indent}`))
    const output = await run(sender.script(changed, endpointUrl, 'a secret'))
    assert.match(output, /"status":"accepted"/, `${changed}\n${output}`)
    const eventId = /"eventId":"([^"]+)"/.exec(output)?.[1] ?? ''
    assert.deepEqual(await bodyOf(app, eventId), JSON.parse(nasty))
  }
})

verifies('hooks:snippets', 'a delivery that is refused shows Bellhop’s answer', async () => {
  const app = await sharedApp()
  const { endpointUrl, snippets } = await offered(app, { preset: 'github' }, 'a secret')
  for (const sender of runnable) {
    const output = await run(sender.script(snippets[sender.name] ?? '', endpointUrl, 'another secret'))
    assert.match(output, /page in the dashboard shows the reason/, sender.name)
  }
})

verifies(
  'hooks:snippets',
  'without its secret, or without the URL in a workflow, the ready code sends nothing and says which variable to set',
  async () => {
    const app = await sharedApp()
    const ids: string[] = []
    for (const preset of ['github', 'standard_webhooks', 'shared_secret']) {
      const { id, endpointUrl, snippets } = await offered(app, { preset }, secretOf.base64 ?? '')
      ids.push(id)
      for (const sender of runnable) {
        const script = sender.script(snippets[sender.name] ?? '', endpointUrl, '')
        const { WEBHOOK_SECRET: _, ...unset } = script.env
        for (const env of preset === 'github' ? [unset, script.env] : [unset]) {
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
    const { id, snippets } = await offered(app, null, '')
    ids.push(id)
    const step = stepOfWorkflow(snippets['GitHub Actions'] ?? '', '', '')
    assert.match(await run(step), /Set BELLHOP_WEBHOOK_URL among the secrets/)
    const { rows } = await sql`select 1 from refusals where webhook_id = any(${ids})`.execute(app.db)
    assert.equal(rows.length, 0)
  },
)

type Offer = {
  id: string
  endpointUrl: string
  settings: Record<string, unknown> | null
  secret: string
  snippets: Record<string, string>
}

async function offered(app: WebhookApp, settings: Offer['settings'], secret: string): Promise<Offer> {
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
  return { id: webhook.id, endpointUrl: webhook.endpointUrl, settings, secret, snippets }
}

/** Between the output of one script and the next. */
const separator = '-- next --'

/** Programs that run the scripts one after another, each with its own secret: a process for each takes ten times as long. */
const runners: Record<string, string> = {
  Node: `for (const [file, secret] of JSON.parse(process.env.SCRIPTS)) {
  process.env.WEBHOOK_SECRET = secret
  await import(file)
  console.log('${separator}')
}`,
  Python: `import json, os, runpy
for file, secret in json.loads(os.environ["SCRIPTS"]):
    os.environ["WEBHOOK_SECRET"] = secret
    runpy.run_path(file)
    print("${separator}")`,
}

async function runAll(sender: Sender, scripts: Script[]): Promise<string[]> {
  const runner = runners[sender.name]
  const [first] = scripts
  if (!runner || !first) return await Array.fromAsync(scripts, run)
  await using folder = await temporaryFolder()
  const files = scripts.map(({ file }, n) => join(folder.path, `${n}-${file}`))
  for (const [n, file] of files.entries()) await writeFile(file, scripts[n]?.text ?? '')
  const secrets = files.map((file, n) => [file, scripts[n]?.env.WEBHOOK_SECRET])
  const output = await run({ ...first, text: runner, env: { SCRIPTS: JSON.stringify(secrets) } })
  return output.split(separator)
}

async function run(script: Script): Promise<string> {
  await using folder = await temporaryFolder()
  await writeFile(join(folder.path, script.file), script.text)
  const child = spawn(script.command, [...(script.command === 'bash' ? ['-e'] : []), script.file], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, ...script.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said, complained] = await Promise.all([text(child.stdout), text(child.stderr)])
  return said || complained
}

async function bodyOf(app: WebhookApp, eventId: string): Promise<{ order: { customer: string } }> {
  const { rows } = await sql<{ body: Buffer }>`select body from events where id = ${eventId}`.execute(app.db)
  // The sample of the snippet, which this test compares with what it knows of it.
  return JSON.parse(rows[0]?.body.toString('utf8') ?? '')
}
