import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join as joinPath } from 'node:path'
import { text } from 'node:stream/consumers'
import { join } from '../../accounts/visitor.ts'
import { textsOf } from '../../support/model-script.ts'
import { shareInFile } from '../../support/share-in-file.ts'
import { chooseModel } from '../../support/start-shop.ts'
import { startTestApp, testApiKey } from '../../support/start-test-app.ts'
import { startStubAnthropic } from '../../support/stub-anthropic.ts'
import { verifies } from '../../support/verifies.ts'
import { actInScenario, type Scenario } from './act-in-scenario.ts'

const suite = joinPath(
  import.meta.dirname,
  '../../../node_modules/@modelcontextprotocol/conformance/dist/index.js',
)
const client = joinPath(import.meta.dirname, 'conformance-client.ts')
/** Each scenario starts a server on a port that is free, and calls it by this name. */
const everyPort = Array.from({ length: 64_511 }, (_, at) => `localhost:${at + 1024}`).join(',')
const longestMs = 240_000

const sharedApp = shareInFile(() =>
  startTestApp({ env: { EGRESS_PRIVATE_EXCEPTIONS: `127.0.0.0/8,${everyPort}` } }),
)

/** Scenarios that fail, with the reason; docs/mcp.md lists them. Those after the blank line are extensions, which nobody must have. */
const notMet: Record<string, string> = {
  'request-metadata': 'the handshake of older revisions is tried first, since nearly every server knows it',

  'auth/client-credentials-jwt': 'client assertions are not supported',
  'auth/enterprise-managed-authorization': 'token exchange is not supported',
  'auth/dpop': 'DPoP is not supported',
  'auth/dpop-nonce': 'DPoP is not supported',
  'auth/wif-jwt-bearer': 'client assertions are not supported',
}

for (const revision of ['2025-11-25', '2026-07-28']) {
  verifies(
    'mcp:conformance',
    `the conformance suite finds in a client of the revision ${revision} only what is listed as not met`,
    async () => {
      const app = await sharedApp()
      // Bellhop's own description as a client counts only over https.
      app.app.ctx.publicUrl = 'https://bellhop.example.test'
      // Calls the tool that the newest message names.
      await using model = await startStubAnthropic(({ json }) => {
        const named = /call (\w+)/.exec(textsOf(json.messages).at(-1) ?? '')?.[1]
        return named ? { calls: [{ name: named, input: {} }] } : { text: 'Done.' }
      })
      await chooseModel(app, model)
      const { visitor } = await join(app, 'admin')
      const installation = {
        url: app.url,
        key: testApiKey,
        cookie: visitor.cookie,
        callback: 'https://bellhop.example.test/api/v1/oauth/callback',
      }
      // Acts in this process: the suite starts a client for each scenario, and one that imports little starts fast.
      const server = createServer({ allowHalfOpen: true }, async (wire) => {
        // One that took too long is ended by the suite.
        wire.on('error', () => undefined)
        try {
          const scenario = JSON.parse(await text(wire)) as Scenario // from conformance-client.ts
          await actInScenario(scenario, installation, (line) => wire.write(`${line}\n`))
          wire.end()
        } catch (error) {
          // The client then fails, too.
          wire.write(String(error), () => wire.resetAndDestroy())
        }
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo // as it listens on a port
      const command = `"${process.execPath}" "${client}"`
      const runner = spawn(
        process.execPath,
        [
          suite,
          'client',
          '--command',
          command,
          '--requirements',
          revision,
          '--timeout',
          String(longestMs),
          '--verbose',
        ],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
          env: { ...process.env, BELLHOP_TEST: String(port) },
        },
      )
      const ended = once(runner, 'exit')
      const [report, details] = await Promise.all([text(runner.stdout), text(runner.stderr)])
      await ended
      server.close()
      const results = [...report.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm)]
      assert.ok(results.length >= 25, report + details)
      const failed = results.flatMap(([, scenario = '', , failures]) => (failures === '0' ? [] : [scenario]))
      const expected = results.flatMap(([, scenario = '']) => (scenario in notMet ? [scenario] : []))
      assert.deepEqual(failed.sort(), expected.sort(), report)
    },
  )
}
