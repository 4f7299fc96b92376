import { z } from 'zod'
import { endpoint } from '../../../http/endpoint.ts'
import { idParam } from '../../../http/id-param.ts'
import type { Vault } from '../../../platform/crypto/vault.ts'
import type { Db } from '../../../platform/db/database.ts'
import type { Egress } from '../../../platform/egress/open-egress.ts'
import type { GrantsContext } from '../../oauth/grant-authenticator.ts'
import { listOfferedPrompts } from '../store.ts'
import { offeredPromptShape, promptInput, type ServerPrompt } from './contract.ts'
import { readPrompt } from './read-prompts.ts'

const define = endpoint<GrantsContext & { db: Db; egress: Egress; vault: Vault }>()

export const listPrompts = define({
  summary: 'List the prompts that connected MCP servers offer: suggestions for webhooks and schedules',
  returns: z.object({ items: z.array(offeredPromptShape) }),
  async answer({ db }) {
    const rows = await listOfferedPrompts(db)
    return {
      items: rows.flatMap(({ prompts, ...connector }) =>
        // We wrote this text ourselves.
        (JSON.parse(prompts) as ServerPrompt[]).map((prompt) => ({ ...connector, ...prompt })),
      ),
    }
  },
})

export const getPrompt = define({
  summary: 'Get the text of a prompt from its MCP server',
  params: z.object({ id: idParam('connector') }),
  body: promptInput,
  returns: z.object({ text: z.string() }),
  problems: ['not-found', 'server-unreachable'],
  answer: (ctx, { params, body }) => readPrompt(ctx, params.id, body),
})
