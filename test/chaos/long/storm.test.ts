import assert from 'node:assert/strict'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type Service, startService } from '../../support/start-service.ts'
import { testApiKey } from '../../support/start-test-app.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { verifies } from '../../support/verifies.ts'
import { childrenOf, postmasterOf } from '../kill-round.ts'
import { startOutside } from '../start-outside.ts'
import { startStorm } from '../start-storm.ts'
import { tellFigures } from '../tell-figures.ts'

type Scene = {
  service: Service
  postmaster: number
  db: pg.ClientConfig
  start(): Promise<Service>
}

/** What may happen to an installation under load. Returns the service that runs afterwards. */
const blows: Record<string, (scene: Scene) => Promise<Service>> = {
  'kill -9 of Bellhop': async ({ service, start }) => {
    await service.stop('SIGKILL')
    return await start()
  },
  'kill -9 of one connection of the database': async ({ service, db }) => {
    const client = new pg.Client(db)
    client.on('error', () => undefined)
    await client.connect()
    const { rows } = await client.query(
      `select pid from pg_stat_activity where application_name = 'bellhop' order by state <> 'active' limit 1`,
    )
    process.kill(rows[0].pid, 'SIGKILL')
    await client.end().catch(() => undefined)
    return service
  },
  'kill -9 of PostgreSQL': async ({ service, postmaster }) => {
    process.kill(postmaster, 'SIGKILL')
    return service
  },
  'kill -9 of Bellhop and PostgreSQL': async ({ service, postmaster, start }) => {
    process.kill(postmaster, 'SIGKILL')
    await service.stop('SIGKILL')
    return await start()
  },
  'PostgreSQL frozen for 20 seconds': async ({ service, postmaster }) => {
    const all = [postmaster, ...childrenOf(postmaster)]
    for (const pid of all) process.kill(pid, 'SIGSTOP')
    await pause(20_000)
    for (const pid of all) process.kill(pid, 'SIGCONT')
    return service
  },
  'Bellhop frozen for 20 seconds': async ({ service }) => {
    process.kill(service.pid, 'SIGSTOP')
    await pause(20_000)
    process.kill(service.pid, 'SIGCONT')
    return service
  },
  'SIGTERM and a new start': async ({ service, start }) => {
    const begun = performance.now()
    await service.stop('SIGTERM')
    const tookMs = Math.round(performance.now() - begun)
    assert.ok(tookMs < 35_000, `stopped after ${tookMs} ms`)
    tellFigures({ stoppedMs: tookMs })
    return await start()
  },
}

for (const [name, strike] of Object.entries(blows)) {
  verifies(
    ['hooks:committed-before-answer', 'runs:journal', 'runs:no-repeated-write', 'runs:outbox'],
    `${name} under load: every event once, one reply each, no repeated write, nothing stuck`,
    async () => {
      await using folder = await temporaryFolder()
      await using outside = await startOutside()
      const env = { ...outside.env, DATA_DIR: folder.path, API_KEY: testApiKey }
      const start = () => startService(env)
      let service = await start()
      await using _last = { [Symbol.asyncDispose]: async () => void (await service.stop()) }
      const db = { host: join(folder.path, 'socket'), port: 5432, user: 'bellhop', database: 'bellhop' }
      await using storm = await startStorm({ outside, url: () => service.url, perSecond: 40 })
      await pause(4_000)
      const postmaster = postmasterOf(join(folder.path, 'postgres'))
      const struckAt = performance.now()
      service = await strike({ service, postmaster, db, start })
      await pause(4_000)
      await storm.calm()
      await storm.settle(db)
      const { faults, figures } = await storm.count(db)
      const settledMs = Math.round(performance.now() - struckAt)
      tellFigures({ ...figures, settledMs })
      assert.deepEqual(faults.slice(0, 20), [])
      assert.equal(figures.failedJobs, 0)
    },
  )
}
