import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { quantile } from './quantile.ts'
import { startBenchService } from './service.ts'

const rounds = 5

export type StartFigures = {
  /** `node -e 0`, the bare limit. */
  nodeMs: number
  /** On an empty data folder: initdb, migrations, keys. Goal: 5,000. */
  firstStartMs: number
  /** On an existing folder. Goal: 2,000. */
  startMs: number
  /** Just started, including PostgreSQL. Goal: 250. */
  idleMemoryMb: number
}

export async function benchStart(): Promise<StartFigures> {
  const first = await startBenchService()
  await first.stop()
  const starts: number[] = []
  const nodes: number[] = []
  let idleMemoryMb = 0
  try {
    for (let round = 0; round < rounds; round++) {
      const service = await startBenchService({}, first.dataDir)
      starts.push(service.readyMs)
      await pause(round === 0 ? 3_000 : 0)
      if (round === 0) idleMemoryMb = await service.memoryMb()
      await service.stop()
      nodes.push(await timeNode())
    }
  } finally {
    await rm(first.dataDir, { recursive: true, force: true })
  }
  return {
    nodeMs: quantile(nodes, 0.5),
    firstStartMs: first.readyMs,
    startMs: quantile(starts, 0.5),
    idleMemoryMb,
  }
}

async function timeNode(): Promise<number> {
  const startedAt = performance.now()
  await once(spawn(process.execPath, ['-e', '0']), 'exit')
  return performance.now() - startedAt
}
