import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { hasCode } from '../has-code.ts'
import type { Answer, Question, Subject } from './answer-question.ts'
import type { ConditionFault } from './compile-condition.ts'
import type { ConditionReply, ConditionTask } from './condition-thread.ts'

/** Conditions in CEL, evaluated in a thread: a slow one stops neither the process nor the other conditions. */
export type Conditions = AsyncDisposable & {
  /** What is wrong with the condition; null if nothing is. */
  check(source: string, names: readonly string[]): Promise<ConditionFault | null>
  /**
   * One answer for each subject, in their order. Never throws for what the conditions or the data are: whatever cannot be evaluated
   * is a fault in the answer.
   */
  ask(question: Omit<Question, 'leftOut'>, subjects: readonly Subject[]): Promise<Answer[]>
}

/** Time of the processor, since a busy machine must not make a condition slow. All conditions for one subject together. */
const maxCpuMs = 200
const lookEveryMs = 50
const maxMemoryMb = 512
/** For so long a condition that was too slow is not evaluated, so that it delays no others. */
const slowForMs = 60_000
/** More slow conditions for one subject are not tried. */
const mostSlow = 2
/** Whoever asks about one subject waits for so many of somebody else at most. */
const mostAtOnce = 20

const tooSlow = `It took longer than ${maxCpuMs} ms and is not evaluated for a minute. Make it simpler.`
const unreadable = 'The data is too large or not JSON, so no condition was evaluated.'

/** Replies in the order of the subjects. `slowAt`: the condition at which the thread was given up, before it was through. */
type Replies = { replies: ConditionReply[]; slowAt: number | null }

export function openConditions(): Conditions {
  const progress = new Int32Array(new SharedArrayBuffer(4))
  const slow = new Map<string, number>()
  let worker: Worker | null = null
  let last: Promise<unknown> = Promise.resolve()

  /** One task at a time, in the order in which they were given. */
  function send(task: ConditionTask, wanted: number): Promise<Replies> {
    const sent = last.then(() => perform(task, wanted))
    last = sent.catch(() => undefined)
    return sent
  }

  async function perform(task: ConditionTask, wanted: number): Promise<Replies> {
    worker ??= await startThread(progress.buffer)
    const thread = worker
    Atomics.store(progress, 0, -1)
    const replies: ConditionReply[] = []
    const watch = new AbortController()
    const all = Promise.withResolvers<true>()
    const take = (reply: ConditionReply) => {
      replies.push(reply)
      if (replies.length === wanted) all.resolve(true)
    }
    thread.on('message', take).once('error', all.reject)
    try {
      thread.postMessage(task)
      if (await Promise.race([all.promise, watchTime(thread, replies, watch.signal)]))
        return { replies, slowAt: null }
    } catch (error) {
      worker = null
      if (!isOutOfMemory(error)) throw error
    } finally {
      watch.abort()
      thread.off('message', take).off('error', all.reject)
    }
    worker = null
    await thread.terminate()
    return { replies, slowAt: Atomics.load(progress, 0) }
  }

  /** False once a subject took too long. The first look is not at the beginning: few are still at work then, and a look costs more than most. */
  async function watchTime(
    thread: Worker,
    replies: readonly ConditionReply[],
    signal: AbortSignal,
  ): Promise<false> {
    let before: number | null = null
    let answered = 0
    for (;;) {
      await pause(lookEveryMs, null, { signal }).catch(() => undefined)
      if (signal.aborted) return new Promise(() => undefined)
      const { user, system } = await thread.cpuUsage()
      const usedMs = (user + system) / 1000
      if (before === null || replies.length > answered) before = usedMs - lookEveryMs
      answered = replies.length
      if (usedMs - before > maxCpuMs) return false
    }
  }

  return {
    async check(source, names) {
      const { replies } = await send({ kind: 'check', source, names }, 1)
      const [reply] = replies
      if (!reply) return { at: 1, says: 'It takes too long to read. Make it simpler.' }
      if ('error' in reply) return { at: 1, says: reply.error }
      return reply.result as ConditionFault | null // what checkCondition returned
    },
    async ask({ conditions, pointers }, subjects) {
      const leftOut: number[] = []
      for (const [index, source] of conditions.entries())
        if ((slow.get(source) ?? 0) > performance.now()) leftOut.push(index)
      const toAnswer = (reply: ConditionReply | null): Answer => {
        if (!reply || 'error' in reply) {
          const faults = conditions.map((_, condition) => ({ condition, says: unreadable }))
          return { matched: null, faults, texts: pointers.map(() => null) }
        }
        const answer = reply.result as Answer // what answerQuestion returned
        const late = leftOut.map((condition) => ({ condition, says: tooSlow }))
        return { ...answer, faults: beforeMatch([...answer.faults, ...late], answer.matched) }
      }
      const answers: Answer[] = []
      let tries = 0
      while (answers.length < subjects.length) {
        const next = subjects.slice(answers.length, answers.length + mostAtOnce)
        const { replies, slowAt } = await send(
          { kind: 'ask', question: { conditions, leftOut, pointers }, subjects: next },
          next.length,
        )
        answers.push(...replies.map(toAnswer))
        if (slowAt === null) continue
        if (replies.length > 0) tries = 0
        const source = conditions[slowAt]
        if (source !== undefined && tries < mostSlow) {
          if (slow.size > 1000) slow.clear()
          slow.set(source, performance.now() + slowForMs)
          leftOut.push(slowAt)
          tries++
        } else {
          answers.push(toAnswer(null))
          tries = 0
        }
      }
      return answers
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
