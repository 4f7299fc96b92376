import { hash } from 'node:crypto'
import type { Conditions } from '../../platform/conditions/open-conditions.ts'
import { replaceNul } from '../../platform/db/replace-nul.ts'
import { fillTemplate, parseKey, parseTemplate, pointersOf } from '../../shared/template.ts'
import type { Collect, Rule } from './contract.ts'

export type RuleSettings = { rules: Rule[] | null; threadKey: string | null; collect: Collect | null }

/** What the rules decided about an event. Stored with it, so that a later edit of the rules does not change what is told. */
export type Verdict = {
  rule: (Rule & { index: number }) | null
  faults: { index: number; detail: string }[]
  /** For each pointer in the rule's text, in order, what was found there. */
  values: (string | null)[]
  /** The message of a rule that notifies, once posted. */
  notice: { text: string; permalink: string | null } | null
  /** Why it has no key although its webhook has one. */
  keyFault: string | null
}

type Judged<Event> = { event: Event; verdict: Verdict; threadKey: string | null }

type JudgedEvent = { body: Buffer; headers: Record<string, string>; receivedAt: Date }

/** A larger body is not read: its event runs. */
const maxBytes = 4 * 1024 * 1024
const longestKey = 200
const longestValue = 2000

/** What becomes of each, in their order. */
export async function judgeEvents<Event extends JudgedEvent>(
  conditions: Conditions,
  { rules, threadKey }: RuleSettings,
  events: readonly Event[],
): Promise<Judged<Event>[]> {
  const all = rules ?? []
  const key = threadKey === null ? null : parseKey(threadKey)
  const templates = [key, ...all.map(({ text }) => (text === undefined ? null : parseTemplate(text)))]
  const wanted = [...new Set(templates.flatMap((template) => (template ? pointersOf(template) : [])))]
  const readable = events.filter(isReadable)
  const answers = await conditions.ask(
    { conditions: all.map(({ when }) => when), pointers: wanted.map((at) => ({ of: 'event', at })) },
    readable.map(({ body, headers, receivedAt }) => ({
      json: { event: body },
      values: { headers },
      now: receivedAt.toISOString(),
    })),
  )
  const answerOf = new Map(readable.map((event, place) => [event, answers[place]]))
  return events.map((event) => {
    const answer = answerOf.get(event)
    if (!answer) {
      const detail = `The body has ${event.body.length} bytes; rules read ${maxBytes} at most.`
      const faults = all.map((_, index) => ({ index, detail }))
      const verdict = { rule: null, faults, values: [], notice: null, keyFault: key && detail }
      return { event, verdict, threadKey: null }
    }
    const found = new Map(wanted.map((pointer, place) => [pointer, answer.texts[place] ?? null]))
    const rule = answer.matched === null ? undefined : all[answer.matched]
    const shown = rule?.text === undefined ? null : parseTemplate(rule.text)
    const missing = key ? pointersOf(key).find((pointer) => !found.get(pointer)) : undefined
    return {
      event,
      verdict: {
        rule: rule ? { ...rule, index: answer.matched ?? 0 } : null,
        faults: answer.faults.map(({ condition, says }) => ({ index: condition, detail: replaceNul(says) })),
        values: shown ? pointersOf(shown).map((pointer) => shortened(found.get(pointer) ?? null)) : [],
        notice: null,
        keyFault: missing === undefined ? null : `The body has nothing at ${missing}.`,
      },
      threadKey:
        key && missing === undefined ? storable(fillTemplate(key, (at) => found.get(at) ?? '')) : null,
    }
  })
}

function isReadable({ body }: JudgedEvent): boolean {
  return body.length <= maxBytes
}

function shortened(value: string | null): string | null {
  return value && replaceNul(value).slice(0, longestValue).toWellFormed()
}

/** Two long keys that begin alike stay different. */
function storable(key: string): string {
  const text = replaceNul(key)
  if (text.length <= longestKey) return text
  return `${text.slice(0, longestKey / 2).toWellFormed()}… ${hash('sha256', text, 'hex')}`
}
