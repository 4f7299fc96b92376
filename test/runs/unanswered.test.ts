import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { reportDeadJob } from '../../src/app/report-dead-job.ts'
import type { Message } from '../../src/chat/contract.ts'
import { createLog } from '../../src/platform/log.ts'
import { makeJobsDue } from '../support/make-jobs-due.ts'
import { general, startShop } from '../support/start-shop.ts'
import { until } from '../support/until.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'runs:unanswered-told',
  'a message whose run cannot be started is given up after its tries, with one notice in its thread; one whose run has started is not',
  async () => {
    // The error is also in the log, which has its own test.
    await using shop = await startShop({ log: await createLog({ level: 'silent', pretty: false }) })
    const { ctx } = shop.app.app
    await sql`
      create function refuse_run() returns trigger language plpgsql as $$
      begin raise exception 'could not read block 7 of relation runs'; end $$`.execute(ctx.db)
    await sql`
      create trigger refuse_run before insert on runs for each row execute function refuse_run()`.execute(
      ctx.db,
    )
    const say = async (text: string) =>
      (await shop.app.api<Message>('POST', `/api/v1/channels/${general}/messages`, { text })).body.id
    const notices = async () =>
      (await shop.messages())
        .filter(({ author }) => author.kind === 'system')
        .map(({ threadId, text }) => ({ threadId, text }))
    const unanswered = await say('@bellhop what is the state of A-1?')
    await until(async () => {
      await makeJobsDue(ctx.db)
      return (await notices()).length > 0
    })
    const told = await notices()
    assert.equal(told[0]?.threadId, unanswered)
    assert.match(told[0]?.text ?? '', /^⚠️ I could not answer this because of repeated internal errors/)

    await sql`drop trigger refuse_run on runs`.execute(ctx.db)
    const answered = await say('@bellhop and now?')
    await until(async () => (await shop.replies()).length === 1)
    // A worker that died after posting the notice is followed by another one.
    const letters = [unanswered, answered, 'msg_gone'].map((messageId) => ({
      name: 'message.received',
      payload: { messageId },
      error: new Error('refused'),
    }))
    for (const letter of letters) await reportDeadJob(ctx, letter)
    assert.deepEqual(await notices(), told)
  },
)
