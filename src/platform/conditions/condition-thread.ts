import { parentPort, workerData } from 'node:worker_threads'
import { answerQuestion, checkCondition, type Question } from './answer-question.ts'

/** The thread in which conditions are evaluated, one task after the other. open-conditions.ts starts it. */
export type ConditionTask =
  | { kind: 'check'; source: string; names: readonly string[] }
  | { kind: 'ask'; question: Question }

/** A cell that the other side reads while this one is busy: the number of the condition at work. */
const progress = new Int32Array(workerData as SharedArrayBuffer) // as open-conditions.ts gives it

parentPort?.on('message', (task: ConditionTask) => {
  try {
    const result =
      task.kind === 'check'
        ? checkCondition(task.source, task.names)
        : answerQuestion(task.question, (condition) => Atomics.store(progress, 0, condition))
    parentPort?.postMessage({ result })
  } catch (error) {
    parentPort?.postMessage({ error: error instanceof Error ? error.message : String(error) })
  }
})

parentPort?.postMessage('ready')
