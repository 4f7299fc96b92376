import type { Vault } from '../platform/crypto/vault.ts'
import type { Secret } from '../platform/secret.ts'
import type { listTools } from '../tools/list-tools.ts'
import type { GateContext } from './desk.ts'
import type { ProviderName } from './models/model.ts'
import type { Models } from './models/open-models.ts'
import type { ReplyContext } from './post-reply.ts'
import type { Settings } from './settings/open-settings.ts'
import type { ToolSets } from './tool-set.ts'

/** What a run needs from its first step to its last. */
export type RunContext = ReplyContext &
  GateContext &
  Parameters<typeof listTools>[0] & {
    publicUrl: string
    settings: Settings
    models: Models
    toolSets: ToolSets
    vault: Vault
    config: {
      model: { provider: ProviderName; name: string; apiKey: Secret | null; baseUrl: string | null } | null
    }
  }
