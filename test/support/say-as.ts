import assert from 'node:assert/strict'
import type { Person } from '../accounts/visitor.ts'
import type { sceneOf } from './start-shop.ts'

/** Writes in the channel of a scene as a person, and returns the message's id. */
export async function sayAs(
  { channelId }: Pick<ReturnType<typeof sceneOf>, 'channelId'>,
  { visitor }: Person,
  text: string,
  threadId?: string,
): Promise<string> {
  const body = { text, ...(threadId ? { threadId } : {}) }
  const said = await visitor.send<{ id: string }>('POST', `/channels/${channelId}/messages`, body)
  assert.equal(said.status, 201, said.text)
  return said.body.id
}
