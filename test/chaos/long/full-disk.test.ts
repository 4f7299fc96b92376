import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { startService } from '../../support/start-service.ts'
import { testApiKey } from '../../support/start-test-app.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { verifies } from '../../support/verifies.ts'
import { startOutside } from '../start-outside.ts'
import { startStorm } from '../start-storm.ts'
import { tellFigures } from '../tell-figures.ts'

// Only root can mount a small disk.
if (process.getuid?.() === 0) {
  verifies(
    ['hooks:unavailable-503', 'db:survives-kill'],
    'when the disk fills up under load, events are refused with 503, and no accepted event is lost',
    async () => {
      await using folder = await temporaryFolder()
      // A service with less than 1 GiB of free space refuses events, and is not ready.
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1300m,mode=711', 'tmpfs', folder.path])
      await using _mounted = {
        [Symbol.asyncDispose]: async () => void execFileSync('umount', ['-l', folder.path]),
      }
      await using outside = await startOutside()
      await using service = await startService({ ...outside.env, DATA_DIR: folder.path, API_KEY: testApiKey })
      const db = { host: join(folder.path, 'socket'), port: 5432, user: 'bellhop', database: 'bellhop' }
      const client = new pg.Client(db)
      await client.connect()
      // From now on no check refuses in time: the disk is filled to its last byte.
      await client.query(`insert into settings (name, value) values ('inbox', '{"minFreeBytes":0}')`)
      await client.end()
      await using storm = await startStorm({ outside, url: () => service.url, perSecond: 40 })
      await pause(4_000)
      const { bavail, bsize } = await statfs(folder.path)
      const ballast = join(folder.path, 'ballast')
      await writeFile(ballast, Buffer.alloc(bavail * bsize - 2 * 2 ** 20)).catch(() => undefined)
      for (let second = 0; second < 20; second++) {
        await pause(1000)
        // Space that PostgreSQL frees is filled, too.
        await writeFile(`${ballast}-${second}`, Buffer.alloc(64 * 2 ** 20)).catch(() => undefined)
      }
      const answers = await Promise.all(
        ['/healthz', '/readyz', '/api/v1/runs'].map(async (path) => {
          const answer = await fetch(service.url + path, {
            headers: { authorization: `Bearer ${testApiKey}` },
          })
          return `${path} ${answer.status} ${(await answer.text()).slice(0, 200)}`
        }),
      )
      process.stdout.write(`${answers.join('\n')}\n`)
      await rm(ballast)
      for (let second = 0; second < 20; second++) await rm(`${ballast}-${second}`, { force: true })
      await storm.calm()
      await storm.settle(db)
      const { faults, figures } = await storm.count(db)
      tellFigures(figures)
      assert.deepEqual(faults.slice(0, 20), [])
      assert.ok(figures.unavailable > 0)
    },
  )
}
