import type { Models } from '../../models/open-models.ts'
import type { Db } from '../../platform/db/database.ts'
import type { ModelContext } from '../../settings/choose-model.ts'
import type { Audit } from '../../shared/audit.ts'
import type { SourceId } from '../../shared/ids.ts'
import type { GateContext } from '../../tools/gate/gate-call.ts'
import type { ListContext } from '../../tools/list-tools.ts'
import type { ComeBackContext } from '../built-in-tools/come-back.ts'
import type { ProposeContext } from '../built-in-tools/propose-schedule.ts'
import type { Outages } from '../outages/open-outages.ts'
import type { ReplyContext } from '../reply/post-reply.ts'
import type { ToolSets } from './tool-calls/tool-set.ts'

/** What a run needs from its first step to its last. */
export type RunContext = ModelContext &
  ReplyContext &
  GateContext &
  ListContext & {
    publicUrl: string
    sources: ProposeContext['sources'] &
      ComeBackContext['sources'] & {
        /** It has spent its budget: its events are kept and none is started. Returns the time of the pause; null if it is deleted. */
        pause(tx: Db, id: SourceId, reason: string): Promise<Date | null>
      }
    audit: Audit
    models: Models
    toolSets: ToolSets
    outages: Outages
  }
