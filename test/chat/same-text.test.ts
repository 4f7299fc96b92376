import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { ChatError } from '../../src/chat/chat.ts'
import type { ChannelId } from '../../src/shared/ids.ts'
import { verifies } from '../support/verifies.ts'
import { discordToken, startDiscord } from './support/start-discord.ts'
import { startPlatformScene } from './support/start-platform-scene.ts'

verifies(
  'chat:outbound-idempotent',
  'Discord: a message that did not arrive is not mistaken for an earlier one with the same words, and one that did is found',
  async () => {
    await using scene = await startPlatformScene(
      startDiscord,
      ({ origin, publicKey }) => ({
        platform: 'discord',
        botToken: discordToken,
        applicationId: '42',
        publicKey,
        apiUrl: `${origin}/api/v10/`,
      }),
      () => ({ text: 'Fine.' }),
    )
    const { platform: discord } = scene
    const { chat, db } = scene.app.app.ctx
    const channelId = (await scene.channel('500')).id as ChannelId // as the API gives it
    const post = (key: string) => chat.post({ channelId, threadId: null, text: 'Deployed.', key })
    /** The first try fails like this, and the next one comes when Discord no longer knows the nonce. */
    const postLate = async (key: string, fault: 'lose-answer' | { status: number }) => {
      discord.fault = ({ method, path }) => (method === 'POST' && path.endsWith('/messages') ? fault : null)
      await assert.rejects(post(key), ChatError)
      discord.fault = () => null
      await sql`
        update message_parts set attempted_at = attempted_at - interval '90 seconds', leased_until = null
        where external_id is null`.execute(db)
      await sql`update workspaces set paused_until = null, failures = 0`.execute(db)
      return post(key)
    }

    await post('run_1')
    await postLate('run_2', { status: 500 })
    assert.equal(discord.messages.length, 2)
    await postLate('run_3', 'lose-answer')
    assert.equal(discord.messages.length, 3)
    const { rows } = await sql<{ externalId: string }>`
      select external_id from message_parts where external_id is not null`.execute(db)
    assert.equal(new Set(rows.map(({ externalId }) => externalId)).size, 3)
  },
)
