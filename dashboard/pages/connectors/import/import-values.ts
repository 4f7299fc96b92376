import type { Capability, ImportPreview } from '../../../contract.ts'

/** What a person chooses of the operations that were read. */
export type ImportValues = {
  name: string
  baseUrl: string
  authValue: string
  picked: string[]
  capabilities: Record<string, Capability>
  /** Of the tools whose description was changed: the model chooses by it. */
  descriptions: Record<string, string>
  /** The connector that gets the tools, or `new`; null leaves it to the page. */
  addTo: string | null
}

/** With more operations than this, none is picked at first: an agent works better with few tools. */
const pickedAtOnce = 25

export function toImportValues({ connector, tools }: ImportPreview): ImportValues {
  return {
    name: connector.name,
    baseUrl: connector.baseUrl,
    authValue: connector.authValue ?? '',
    picked: tools.length <= pickedAtOnce ? tools.map(({ name }) => name) : [],
    capabilities: Object.fromEntries(tools.map(({ name, capability }) => [name, capability])),
    descriptions: {},
    addTo: null,
  }
}
