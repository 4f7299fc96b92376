import { z } from 'zod'
import { endpoint } from '../../http/endpoint.ts'
import type { Db } from '../../platform/db/database.ts'
import type { FileId } from '../../shared/ids.ts'
import { getChannel } from '../channels/manage-channels.ts'
import { channelIdShape } from '../contract.ts'
import { fileIdShape, fileShape, plainFileName } from './contract.ts'
import { serveFile } from './serve-file.ts'
import { uploadFile } from './upload-file.ts'

const define = endpoint<{ db: Db }>()

export const addFile = define({
  summary: 'Upload a file to attach to a message of yours (the body is the file; `name` its name)',
  params: z.object({ id: channelIdShape }),
  query: z.object({ name: z.string().min(1).max(200).overwrite(plainFileName) }),
  status: 201,
  returns: fileShape,
  problems: ['not-found', 'invalid-request', 'too-many-requests'],
  async answer(ctx, { params, query, raw, actor }) {
    await getChannel(ctx.db, actor, params.id)
    return await uploadFile(ctx, actor, params.id, query.name, Buffer.from(await raw.arrayBuffer()))
  },
})

export const readFileContent = define({
  summary: 'Get an image, or a file that was uploaded here',
  params: z.object({ id: fileIdShape }),
  problems: ['not-found'],
  async answer({ db }, { params, actor }) {
    return await serveFile(db, actor, params.id as FileId) // the schema has matched it
  },
})
