import { until } from '../../support/until.ts'
import type { startPlatformSceneOn } from './start-platform-scene.ts'

type Scene = Pick<Awaited<ReturnType<typeof startPlatformSceneOn>>, 'app' | 'createWebhook' | 'sendEvent'>

/** A webhook with one thread for each key, and events for it, each handled before the next one comes. */
export async function keyedEventSender(scene: Scene, channelId: string) {
  const webhook = await scene.createWebhook({
    channelId,
    threadKey: '/k',
    rules: [
      { when: "event.s == 'closed'", then: 'notify', text: 'Closed.', closes: true },
      { when: 'true', then: 'notify', text: '{/t}' },
    ],
  })
  return async (body: object) => {
    const { eventId } = await scene.sendEvent(webhook, body)
    const read = () => scene.app.get<{ status: string }>(`/api/v1/events/${eventId}`)
    await until(async () => (await read()).status === 'notified')
  }
}
