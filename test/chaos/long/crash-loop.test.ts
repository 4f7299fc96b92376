import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startService } from '../../support/start-service.ts'
import { general } from '../../support/start-shop.ts'
import { testApiKey } from '../../support/start-test-app.ts'
import { startStubAnthropic } from '../../support/stub-anthropic.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { verifies } from '../../support/verifies.ts'
import { tellFigures } from '../tell-figures.ts'

const beside = 12
const slowModelMs = 4_000

type Listed = { items: { status: string; error: { code: string } | null }[] }

verifies(
  ['runs:suspects-by-turns', 'house:unclean-end'],
  'a run that kills its process whenever it is taken up is given up with a reason, and every run beside it succeeds',
  async () => {
    await using folder = await temporaryFolder()
    let kills = 0
    await using model = await startStubAnthropic(async ({ body }) => {
      if (body.includes('poison')) {
        kills++
        process.kill(Number(await readFile(join(folder.path, 'pid'), 'utf8')), 'SIGKILL')
        return { hang: true }
      }
      // Longer than the process lives at first, so that those beside it make no progress either.
      await pause(slowModelMs)
      return { text: 'Done.' }
    })
    const env = { ...model.env, DATA_DIR: folder.path, API_KEY: testApiKey }
    let output = ''
    let starts = 0
    const begunAt = performance.now()
    // As systemd would: whenever it is gone, it is started again.
    for (let isOver = false; !isOver; ) {
      // It may be killed before it is ready.
      const service = await startService(env).catch(() => null)
      if (!service) continue
      await using _stopped = service
      const isGone = () => service.child.signalCode !== null
      if (starts++ === 0) {
        const { endpointUrl } = await service.api<{ endpointUrl: string }>('POST', '/webhooks', {
          name: 'Orders',
          channelId: general,
          prompt: 'Say what came.',
          rateLimit: null,
          concurrency: beside + 1,
        })
        for (const order of [...Array(beside).keys(), 'poison']) {
          const headers = { 'content-type': 'application/json' }
          const { status } = await fetch(endpointUrl, {
            method: 'POST',
            headers,
            body: JSON.stringify({ order }),
          })
          assert.equal(status, 200)
        }
      }
      await until(async () => {
        const runs = await service.api<Listed>('GET', '/runs?limit=100').catch(() => null)
        isOver =
          runs?.items.length === beside + 1 &&
          runs.items.every(({ status }) => status === 'succeeded' || status === 'failed')
        if (isOver && runs) {
          const failed = runs.items.filter(({ status }) => status === 'failed')
          assert.deepEqual(
            failed.map(({ error }) => error?.code),
            ['internal_error'],
          )
        }
        return isOver || isGone()
      }, 300_000)
      output += service.output()
    }
    tellFigures({
      runs: beside + 1,
      kills,
      starts,
      seconds: Math.round((performance.now() - begunAt) / 1000),
    })
    assert.equal(kills, 5)
    assert.match(output, /"reason":"The process died.*run\.given_up/)
    assert.match(output, /process\.ended_uncleanly/)
  },
)
