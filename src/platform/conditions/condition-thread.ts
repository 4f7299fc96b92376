import { parentPort, workerData } from 'node:worker_threads'
import { answerQuestion, checkCondition, type Question, type Subject } from './answer-question.ts'

/** The thread in which conditions are evaluated, one task after the other. open-conditions.ts starts it. */
export type ConditionTask =
  | { kind: 'check'; source: string; names: readonly string[] }
  /** One reply for each subject: many of them cost the way here only once. */
  | { kind: 'ask'; question: Question; subjects: readonly Subject[] }

export type ConditionReply = { result: unknown } | { error: string }

/** A cell that the other side reads while this one is busy: the number of the condition at work. */
const progress = new Int32Array(workerData as SharedArrayBuffer) // as open-conditions.ts gives it

parentPort?.on('message', (task: ConditionTask) => {
  if (task.kind === 'check') reply(() => checkCondition(task.source, task.names))
  else for (const subject of task.subjects) reply(() => answer(task.question, subject))
})

function answer(question: Question, subject: Subject) {
  Atomics.store(progress, 0, -1)
  return answerQuestion(question, subject, (condition) => Atomics.store(progress, 0, condition))
}

function reply(work: () => unknown): void {
  let message: ConditionReply
  try {
    message = { result: work() }
  } catch (error) {
    message = { error: error instanceof Error ? error.message : String(error) }
  }
  parentPort?.postMessage(message)
}

parentPort?.postMessage('ready')
