import { z } from 'zod'
import { endpoint } from '../../../http/endpoint.ts'
import { workspaceIdShape } from '../../contract.ts'
import { type InboundContext, receiveRequest } from './receive-request.ts'

const define = endpoint<InboundContext>()

/** Authenticated by its signature, which is checked over the raw bytes. */
export const receivePlatformRequest = define({
  summary: 'Endpoint for the events of chat platforms',
  params: z.object({ platform: z.string(), id: workspaceIdShape }),
  problems: ['not-found', 'chat-signature-invalid', 'invalid-request'],
  async answer(ctx, { params: { platform, id }, raw }) {
    const body = Buffer.from(await raw.arrayBuffer())
    const answer = await receiveRequest(ctx, { platform, workspaceId: id, body, headers: raw.headers })
    return answer === undefined ? new Response() : Response.json(answer)
  },
})
