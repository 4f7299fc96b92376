import { isObject } from '../../../platform/json/is-object.ts'
import { isKeyName } from '../../auth/credential-in-url.ts'
import type { AskPerson, PersonAnswer, PersonQuestion } from '../../call/callable-tool.ts'

/** What a server asks in the middle of a call, and whom. */
export type Questions = {
  /** Answers the server: with what the person says, or that nobody answers. */
  answer(params: Record<string, unknown>, signal: AbortSignal): Promise<PersonAnswer>
  /** What nobody was asked, as the server wrote it. */
  unanswered: Record<string, unknown>[]
}

/** Time that the person takes is not the server's: `clock` stands still meanwhile. */
export function openQuestions(
  askPerson: AskPerson | null,
  clock: { stop(): void; start(): void },
): Questions {
  const unanswered: Questions['unanswered'] = []
  return {
    unanswered,
    async answer(params, signal) {
      const question = askPerson ? readQuestion(params) : null
      if (!askPerson || !question) {
        unanswered.push(params)
        return { action: 'cancel' }
      }
      clock.stop()
      try {
        return await askPerson(question, signal)
      } finally {
        clock.start()
      }
    },
  }
}

const longestMessage = 10_000

/** Null if nobody is asked this: a form that wants a secret, which would pass through our hands, or an address that is no page. */
function readQuestion({
  message,
  mode,
  url,
  requestedSchema,
}: Record<string, unknown>): PersonQuestion | null {
  const text = String(message ?? '').slice(0, longestMessage)
  if (mode === 'url') {
    const isPage = typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '')
    return isPage ? { message: text, schema: null, url } : null
  }
  if (!isObject(requestedSchema) || asksForSecret(requestedSchema)) return null
  return { message: text, schema: requestedSchema, url: null }
}

function asksForSecret({ properties }: Record<string, unknown>): boolean {
  if (!isObject(properties)) return false
  return Object.entries(properties).some(
    ([name, property]) =>
      isKeyName(name) ||
      (isObject(property) &&
        (property.format === 'password' ||
          (typeof property.title === 'string' && isKeyName(property.title)))),
  )
}
