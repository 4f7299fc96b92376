import type { z } from 'zod'
import { addressRefused, problem } from '../../http/problems.ts'
import type { Egress } from '../../platform/egress/open-egress.ts'
import { isDeeperThan, writableDepth } from '../../platform/json/is-deeper-than.ts'
import { runInThread, ThreadLimit, threadModule } from '../../platform/run-in-thread.ts'
import type { ImportPreview, importShape } from '../contract.ts'
import type { ImportOrder, ImportResult } from './import-document.ts'

type Context = { egress: Egress }

const limits = { headersTimeoutMs: 10_000, totalTimeoutMs: 30_000, maxBytes: 20 * 1024 * 1024 }

/** Turns a document, a curl line or a URL into the preview of a connector. Nothing is saved. */
export async function importConnector(
  ctx: Context,
  given: z.output<typeof importShape>,
): Promise<ImportPreview> {
  const result = await importInThread(await orderFor(ctx, given))
  if (!result.ok) {
    const [source = ''] = Object.keys(given)
    throw problem('import-failed', result.message, {
      errors: [{ pointer: `/${source}`, detail: result.message }],
    })
  }
  return result.preview
}

async function orderFor(ctx: Context, given: z.output<typeof importShape>): Promise<ImportOrder> {
  if (given.curl !== undefined) return { kind: 'curl', text: given.curl, sourceUrl: null }
  if (given.url !== undefined) {
    return { kind: 'openapi', text: await download(ctx, given.url), sourceUrl: given.url }
  }
  const { openapi = '' } = given
  return { kind: 'openapi', text: typeof openapi === 'string' ? openapi : write(openapi), sourceUrl: null }
}

function write(document: Record<string, unknown>): string {
  if (!isDeeperThan(document, writableDepth)) return JSON.stringify(document)
  const detail = `The document is nested deeper than ${writableDepth} levels.`
  throw problem('import-failed', detail, { errors: [{ pointer: '/openapi', detail }] })
}

async function download({ egress }: Context, url: string): Promise<string> {
  const answer = await egress.request({
    method: 'GET',
    url,
    headers: { accept: 'application/json, application/yaml, */*;q=0.5', 'user-agent': 'Bellhop' },
    limits,
    purpose: 'an import',
  })
  const refuse = (detail: string) =>
    problem('import-failed', detail, { errors: [{ pointer: '/url', detail }] })
  if (!answer.ok) {
    const { rule, message } = answer
    throw rule ? addressRefused({ rule, message }, '/url') : refuse(message)
  }
  const { location } = answer.headers
  if (answer.status >= 300 && answer.status < 400 && location !== undefined) {
    throw refuse(
      `The address redirects to ${String(location)}. Redirects are not followed; use that address.`,
    )
  }
  if (answer.status !== 200) throw refuse(`The address answered ${answer.status} instead of a document.`)
  return answer.body.toString('utf8')
}

/** The largest published documents, such as GitHub’s with 13 MB, need a quarter of this. */
const processorMs = 30_000
const inThread = threadModule<typeof import('./import-document.ts')>(
  new URL('./import-document.ts', import.meta.url),
  processorMs,
)

/** Reads a document in its own thread: large ones take seconds. */
async function importInThread(order: ImportOrder): Promise<ImportResult> {
  try {
    return await runInThread(inThread, 'importDocument', [order])
  } catch (error) {
    const needs = error instanceof ThreadLimit ? `: reading it needs ${error.message}` : ''
    return {
      ok: false,
      message: `The document is too large or too complicated${needs}. Try a smaller part of it.`,
    }
  }
}
