import { z } from 'zod'
import { idParam } from '../../http/id-param.ts'
import { problem } from '../../http/problems.ts'
import type { Db } from '../../platform/db/database.ts'
import { defineRevisionEndpoints } from '../../revisions/define-revision-endpoints.ts'
import type { ToolId } from '../../shared/ids.ts'
import { toolShape } from '../contract.ts'
import { editTool } from '../manage/change-tools.ts'
import type { SaveContext } from '../manage/draft/save-draft.ts'
import { draftToolFromRow } from '../manage/get-connector.ts'
import { httpToolPatchOf } from '../manage/split-patch.ts'
import { findToolRow } from '../manage/store.ts'
import { changeMcpTool, documentOf } from './change-mcp-tool.ts'
import { anyToolPatchShape, mcpToolShape } from './contract.ts'
import { findMcpTool } from './store.ts'

/** Of an HTTP tool all of it, of one of an MCP server what people decided about it. */
export const toolRevisions = defineRevisionEndpoints({
  of: 'a tool',
  params: z.object({ toolId: idParam('tool') }),
  subject: ({ toolId }) => toolId,
  async read({ db }: SaveContext, { toolId }) {
    const row = await getRow(db, toolId)
    const pin = await findMcpTool(db, toolId)
    return pin ? documentOf(row, pin) : draftToolFromRow(row)
  },
  patch: anyToolPatchShape,
  merged: ['locations'],
  async save(ctx, caller, { toolId }, patch, restored) {
    const { connectorId } = await getRow(ctx.db, toolId)
    return (await findMcpTool(ctx.db, toolId))
      ? await changeMcpTool(ctx, caller, connectorId, toolId, patch, restored)
      : await editTool(ctx, caller, connectorId, toolId, httpToolPatchOf(patch), restored)
  },
  returns: z.union([mcpToolShape, toolShape]),
})

async function getRow(db: Db, id: ToolId) {
  const row = await findToolRow(db, id)
  if (!row) throw problem('not-found', 'There is no tool with this id.')
  return row
}
