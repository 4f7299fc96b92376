import type { listTools } from '../tools/list-tools.ts'
import type { GateContext } from './desk.ts'
import type { chooseModel } from './models/choose-model.ts'
import type { Models } from './models/open-models.ts'
import type { ReplyContext } from './post-reply.ts'
import type { ToolSets } from './tool-set.ts'

/** What a run needs from its first step to its last. */
export type RunContext = ReplyContext &
  GateContext &
  Parameters<typeof listTools>[0] &
  Parameters<typeof chooseModel>[0] & { publicUrl: string; models: Models; toolSets: ToolSets }
