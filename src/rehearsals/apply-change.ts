import type { OwnModel, Trigger } from '../events/inbox/find-trigger.ts'
import type { Rule } from '../events/rules/contract.ts'
import type { Change } from './contract.ts'
import type { SavedSource } from './store.ts'

/** The event with the settings that are tried. A rule with a prompt of its own keeps that prompt, whatever the source's becomes. */
export function applyChange(
  { source, event }: Trigger,
  change: Change,
  { rule, saved }: { rule: Rule | null; saved: SavedSource },
): Trigger {
  const model: OwnModel | null = change.model === undefined ? source.model : change.model
  return {
    source: {
      ...source,
      prompt: rule?.prompt ?? change.prompt ?? saved.prompt,
      model,
      ceiling: change.ceiling ?? source.ceiling,
      allowSilence: change.allowSilence ?? source.allowSilence,
      connectorIds:
        change.connectorIds === undefined
          ? source.connectorIds
          : (change.connectorIds ?? saved.channelConnectorIds),
    },
    event,
  }
}
