import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { hasCode } from '../has-code.ts'
import type { Answer, Question } from './answer-question.ts'
import type { ConditionFault } from './compile-condition.ts'
import type { ConditionTask } from './condition-thread.ts'

/** Conditions in CEL, evaluated in a thread: a slow one stops neither the process nor the other conditions. */
export type Conditions = AsyncDisposable & {
  /** What is wrong with the condition; null if nothing is. */
  check(source: string, names: readonly string[]): Promise<ConditionFault | null>
  /** Never throws for what the conditions or the data are: whatever cannot be evaluated is a fault in the answer. */
  ask(question: Omit<Question, 'leftOut'>): Promise<Answer>
}

/** Time of the processor, since a busy machine must not make a condition slow. All conditions of a question together. */
const maxCpuMs = 200
const lookEveryMs = 50
const maxMemoryMb = 512
/** For so long a condition that was too slow is not evaluated, so that it delays no others. */
const slowForMs = 60_000
/** More slow conditions in one question are not tried. */
const mostSlow = 2

const tooSlow = `It took longer than ${maxCpuMs} ms and is not evaluated for a minute. Make it simpler.`
const unreadable = 'The data is too large or not JSON, so no condition was evaluated.'

type Reply = { result: unknown } | { error: string } | 'slow'

export function openConditions(now: () => number = () => performance.now()): Conditions {
  const progress = new Int32Array(new SharedArrayBuffer(4))
  const slow = new Map<string, number>()
  let worker: Worker | null = null
  let last: Promise<unknown> = Promise.resolve()

  /** One task at a time, in the order in which they were given. */
  function send(task: ConditionTask): Promise<Reply> {
    const reply = last.then(() => perform(task))
    last = reply.catch(() => undefined)
    return reply
  }

  async function perform(task: ConditionTask): Promise<Reply> {
    worker ??= await startThread(progress.buffer)
    const thread = worker
    Atomics.store(progress, 0, -1)
    const watch = new AbortController()
    try {
      thread.postMessage(task)
      const answered = once(thread, 'message', { signal: watch.signal })
      const gaveUp = watchTime(thread, watch.signal)
      const [reply] = (await Promise.race([answered, gaveUp])) as [Reply]
      if (reply !== 'slow') return reply
    } catch (error) {
      if (!isOutOfMemory(error)) throw error
    } finally {
      watch.abort()
    }
    worker = null
    await thread.terminate()
    return 'slow'
  }

  /** The first look is not at the beginning: few tasks are still at work then, and a look costs more than most of them. */
  async function watchTime(thread: Worker, signal: AbortSignal): Promise<['slow']> {
    let before: number | null = null
    for (;;) {
      await pause(lookEveryMs, null, { signal }).catch(() => undefined)
      if (signal.aborted) return new Promise(() => undefined)
      const { user, system } = await thread.cpuUsage()
      const usedMs = (user + system) / 1000
      before ??= usedMs - lookEveryMs
      if (usedMs - before > maxCpuMs) return ['slow']
    }
  }

  return {
    async check(source, names) {
      const reply = await send({ kind: 'check', source, names })
      if (reply === 'slow') return { at: 1, says: 'It takes too long to read. Make it simpler.' }
      if ('error' in reply) return { at: 1, says: reply.error }
      return reply.result as ConditionFault | null // what checkCondition returned
    },
    async ask(question) {
      const leftOut: number[] = []
      for (const [index, source] of question.conditions.entries())
        if ((slow.get(source) ?? 0) > now()) leftOut.push(index)
      for (let tries = 0; ; tries++) {
        const reply = await send({ kind: 'ask', question: { ...question, leftOut } })
        const late = leftOut.map((condition) => ({ condition, says: tooSlow }))
        if (reply !== 'slow' && 'result' in reply) {
          const answer = reply.result as Answer // what answerQuestion returned
          return { ...answer, faults: beforeMatch([...answer.faults, ...late], answer.matched) }
        }
        const at = Atomics.load(progress, 0)
        const source = question.conditions[at]
        if (reply !== 'slow' || source === undefined || tries >= mostSlow) {
          const faults = question.conditions.map((_, condition) => ({ condition, says: unreadable }))
          return { matched: null, faults, texts: question.pointers.map(() => null) }
        }
        if (slow.size > 1000) slow.clear()
        slow.set(source, now() + slowForMs)
        leftOut.push(at)
      }
    },
    async [Symbol.asyncDispose]() {
      await last
      await worker?.terminate()
    },
  }
}

async function startThread(progress: SharedArrayBuffer): Promise<Worker> {
  const thread = new Worker(new URL('./condition-thread.ts', import.meta.url), {
    workerData: progress,
    resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb },
  })
  // Its first message tells that it is ready: starting must not count as time that a condition took.
  await once(thread, 'message')
  thread.unref()
  return thread
}

function isOutOfMemory(error: unknown): boolean {
  return hasCode(error, 'ERR_WORKER_OUT_OF_MEMORY')
}

/** Those after the match were not asked, so they do not matter. */
function beforeMatch(faults: Answer['faults'], matched: number | null): Answer['faults'] {
  return faults
    .filter(({ condition }) => matched === null || condition < matched)
    .sort((a, b) => a.condition - b.condition)
}
