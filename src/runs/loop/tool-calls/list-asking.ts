import type { Run } from '../../store/run-rows.ts'
import type { RequestedCall, Step } from '../journal.ts'
import type { ToolSet } from './tool-set.ts'

/**
 * The calls of the last step that will wait for somebody, as far as the run's journal tells: for what is posted before they do. The
 * gate decides.
 */
export function listAsking(
  { readsAcross }: Pick<Run, 'readsAcross'>,
  set: ToolSet,
  steps: readonly Step[],
): RequestedCall[] {
  const called = new Set(
    steps
      .slice(0, -1)
      .flatMap(({ calls }) => calls.flatMap(({ name }) => set.byName.get(name)?.connectorId ?? [])),
  )
  return (steps.at(-1)?.calls ?? []).filter(({ name, fault }) => {
    const tool = set.byName.get(name)
    if (!tool || fault) return false
    if (tool.permission !== 'auto') return tool.permission !== 'off'
    return readsAcross === 'one' && [...called].some((connectorId) => connectorId !== tool.connectorId)
  })
}
