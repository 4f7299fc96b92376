import assert from 'node:assert/strict'
import { checkArchitecture, type RuleName, ruleNames } from './support/check-architecture.ts'
import { tableUse } from './support/check-table-use.ts'
import type { SourceFile } from './support/read-module.ts'
import { readTree } from './support/read-tree.ts'
import { tables } from './support/tables.ts'
import { verifies } from './support/verifies.ts'

const isModule = (path: string) => /\.tsx?$/.test(path) && !path.endsWith('.d.ts')

verifies(['house:import-map', 'egress:one-way-out'], 'the code keeps the rules of the architecture', () => {
  const files = [...readTree('src', isModule), ...readTree('dashboard', isModule)]
  const broken = checkArchitecture(files).map(({ rule, path, says }) => `${path} ${says} [${rule}]`)
  assert.deepEqual(broken, [])
})

/** For each rule, what breaks it and nothing else: one file, or files together. */
const bad: Record<RuleName, (SourceFile | SourceFile[])[]> = {
  'import-map': [
    file(
      'src/webhooks/receive-event.ts',
      `import { startRun } from '../runs/start-run.ts'\nexport const receiveEvent = startRun`,
    ),
    file(
      'src/webhooks/receive-event.ts',
      `import type { Run } from '../runs/run.ts'\nexport type Event = Run`,
    ),
    file('src/webhooks/receive-event.ts', `export const receiveEvent = () => import('../runs/start-run.ts')`),
    file(
      'src/webhooks/receive-event.ts',
      `import {\n  a,\n  b,\n} from '../chat/chat.ts'\nexport const receiveEvent = [a, b]`,
    ),
    file(
      'src/approvals/decide-approval.ts',
      `import { advanceRun } from '../runs/advance-run.ts'\nexport const decideApproval = advanceRun`,
    ),
    file(
      'src/runs/loop/advance-run.ts',
      `import { sweep } from '../rehearsals/sweep.ts'\nexport const advanceRun = sweep`,
    ),
    file(
      'src/approvals/policies/match-policies.ts',
      `import { decide } from '../decide.ts'\nexport const matchPolicies = decide`,
    ),
    file('src/platform/log.ts', `import { problem } from '../http/problems.ts'\nexport const log = problem`),
    file(
      'src/platform/queue/queue.ts',
      `import type { Run } from '../../runs/run.ts'\nexport type Queue = Run`,
    ),
    file('src/shared/ids.ts', `import { run } from '../runs/run.ts'\nexport const ids = run`),
    file('src/tools/call-tool.ts', `import { app } from '../app.ts'\nexport const callTool = app`),
    file('src/tools/call-tool.ts', `import type { Config } from '../config.ts'\nexport type Tool = Config`),
    file(
      'src/tools/call-tool.ts',
      `import { stub } from '../../test/support/stub.ts'\nexport const callTool = stub`,
    ),
  ],
  'no-import-circles': [
    [
      file('src/runs/start-run.ts', `import { end } from './end-run.ts'\nexport const startRun = end`),
      file('src/runs/end-run.ts', `import type { X } from './start-run.ts'\nexport const endRun: X = 1`),
    ],
    [
      file('dashboard/a.tsx', `import { b } from './b.tsx'\nexport const a = b`),
      file('dashboard/b.tsx', `import { c } from './c.tsx'\nexport const b = c`),
      file('dashboard/c.tsx', `import { a } from './a.tsx'\nexport const c = a`),
    ],
  ],
  'contract-stays-pure': [
    file(
      'src/runs/contract.ts',
      `import { createHash } from 'node:crypto'\nexport const digest = createHash`,
    ),
    file('src/runs/contract.ts', `import { listRuns } from './store.ts'\nexport const list = listRuns`),
  ],
  'dashboard-sees-contracts-only': [
    file(
      'dashboard/pages/runs.tsx',
      `import { advanceRun } from '../../src/runs/loop/advance-run.ts'\nadvanceRun()`,
    ),
    file('dashboard/pages/runs.tsx', `import { stub } from '../../test/support/stub.ts'\nstub()`),
  ],
  'ui-knows-no-domain': [
    file('dashboard/ui/button.tsx', `import { RunPage } from '../pages/run-page.tsx'\nRunPage()`),
  ],
  'one-way-to-the-outside': [
    file('src/connectors/http/send.ts', `import { request } from 'undici'\nexport const send = request`),
    file('src/connectors/http/send.ts', `import { connect } from 'node:net'\nexport const send = connect`),
    file('src/connectors/http/send.ts', `import * as https from 'node:https'\nexport const send = https`),
    file('src/connectors/http/send.ts', `import dns from 'node:dns/promises'\nexport const send = dns`),
    file('src/connectors/http/send.ts', `export const send = (url: string) => fetch(url)`),
    file('src/connectors/http/send.ts', `export const send = globalThis.fetch`),
    file(
      'src/connectors/http/send.ts',
      `export const send = async () => (await import('node:http')).request`,
    ),
    file('src/connectors/http/send.ts', `export const send = (url: string) => new WebSocket(url)`),
  ],
  'only-config-reads-environment': [
    file('src/platform/log.ts', `export const log = process.env.LOG_LEVEL`),
    file('src/platform/log.ts', `import { env } from 'node:process'\nexport const log = env.LOG_LEVEL`),
  ],
  'nobody-exits': [file('src/main.ts', `process.exit(1)`)],
  'names-carry-meaning': ['utils', 'helpers', 'type', 'types', 'run-types', 'index', 'string-utils'].map(
    (name) => file(`dashboard/${name}.ts`, `const a = 1\nexport const b = a`),
  ),
  'no-barrels': [
    file('dashboard/pages.ts', `export { Run } from './run.tsx'\nexport { Event } from './event.tsx'\n`),
    file('dashboard/pages.ts', `const a = 1\nexport * from './run.tsx'\n`),
  ],
  'named-exports': [file('src/runs/loop/run.ts', `export default function run() {}\nexport type Run = 1`)],
  'file-bears-its-name': [
    file('src/runs/loop/advance-run.ts', `export function doTheWork() {}`),
    file('src/runs/loop/advance-run.ts', `console.log('work at import')`),
  ],
  'one-screen-or-two': [
    file('src/runs/loop/advance-run.ts', `export const advanceRun = 1\n${'// more\n'.repeat(300)}`),
  ],
  'one-table-one-writer': [
    "update runs set status = 'failed'",
    'delete from runs where id = 1',
    'insert into runs (id) select 1',
  ].map((statement) => [
    file('src/runs/store.ts', 'export const add = sql`insert into runs (id) values (1)`'),
    file('src/runs/rehearsals/store.ts', `export const write = sql\`${statement}\``),
  ]),
  'tables-are-listed': [
    file('src/accounts/store.ts', 'export const read = sql`select id from runs where id = 1`'),
    file('src/accounts/store.ts', 'export const read = sql`select 1 from users u join runs r on true`'),
    file('src/runs/store.ts', 'export const add = sql`insert into new_table (id) values (1)`'),
  ],
}

verifies('house:import-map', 'the list of tables names nobody who does not use them', () => {
  const { writes, reads } = tableUse(readTree('src', isModule))
  const slicesOf = (uses: typeof reads, table: string) =>
    new Set(uses.filter((use) => use.table === table).map(({ slice }) => slice))
  for (const [table, { writer, readers }] of Object.entries(tables)) {
    assert.deepEqual([...slicesOf(writes, table)], [writer], `writers of ${table}`)
    const others = slicesOf(reads, table)
    others.delete(writer)
    assert.deepEqual([...others].sort(), [...readers].sort(), `readers of ${table}`)
  }
})

for (const rule of ruleNames) {
  verifies('house:import-map', `the rule ${rule} fires on what breaks it, and no other does`, () => {
    assert.notEqual(bad[rule].length, 0)
    for (const sample of bad[rule]) {
      const fired = new Set(checkArchitecture([sample].flat()).map((violation) => violation.rule))
      assert.deepEqual([...fired], [rule], JSON.stringify(sample).slice(0, 300))
    }
  })
}

verifies('house:import-map', 'what the map allows passes', () => {
  const good = [
    file(
      'src/runs/loop/advance-run.ts',
      `import { callTool } from '../tools/call-tool.ts'\nimport { post } from '../chat/post.ts'\nexport const advanceRun = [callTool, post]`,
    ),
    file(
      'src/tools/call-tool.ts',
      `import { requestApproval } from '../approvals/request-approval.ts'\nexport const callTool = requestApproval`,
    ),
    file(
      'src/approvals/ask-in-chat.ts',
      `import { problem } from '../http/problems.ts'\nimport { ask } from '../chat/ask.ts'\nexport const askInChat = [ask, problem]`,
    ),
    file(
      'src/runs/contract.ts',
      `import { z } from 'zod'\nimport { tool } from '../connectors/contract.ts'\nimport type { RunId } from '../shared/ids.ts'\nexport const run = z.object({ tool })\nexport type Id = RunId`,
    ),
    file(
      'src/app.ts',
      `import { readConfig } from './config.ts'\nimport { advanceRun } from './runs/advance-run.ts'\nexport const app = [readConfig, advanceRun]`,
    ),
    file('src/config.ts', `// process.exit is for nobody\nexport const config = process.env`),
    file('src/platform/egress/dial.ts', `import { connect } from 'node:net'\nexport const dial = connect`),
    file(
      'src/webhooks/read-source.ts',
      `import { isIP } from 'node:net'\nimport type { Socket } from 'node:net'\nexport const readSource = (s: Socket) => isIP(s.remoteAddress ?? '')`,
    ),
    file('src/http/api.ts', `export const api = (app: Hono, r: Request) => app.fetch(r)`),
    file('src/runs/open-model.ts', `export const openModel = (f: typeof globalThis.fetch) => f`),
    file('src/main.ts', `process.exitCode = 1`),
    file('src/chat/contract.ts', `export const shape = 1\n${'// more\n'.repeat(300)}`),
    file('src/webhooks/classify-type.ts', `export const classifyType = 1`),
    file('src/runs/store.ts', 'export const add = sql`insert into runs (id) values (1)`'),
    file('src/chat/store.ts', 'export const read = sql`select id from runs for update`'),
    file(
      'dashboard/pages/runs.tsx',
      `import type { Run } from '../../src/runs/contract.ts'\nimport { Button } from '../ui/button.tsx'\nexport const runs: [Run?] = [Button]`,
    ),
  ]
  assert.deepEqual(checkArchitecture(good), [])
})

function file(path: string, text: string): SourceFile {
  return { path, text }
}
