import { z } from 'zod'
import { endpoint } from '../http/endpoint.ts'
import { pageOf, pageQuery, toPage } from '../http/paging.ts'
import { invalidFields, problem } from '../http/problems.ts'
import type { Db } from '../platform/db/database.ts'
import type { Caller } from '../shared/actor.ts'
import { describeIssues, explainIssue } from '../shared/explain-issue.ts'
import { compareDocuments, type Document, patchTo } from './compare-documents.ts'
import { revisionShape } from './contract.ts'
import { findDocument, listRows, type Restored, type Subject } from './store.ts'

type Kind<Ctx, P extends z.ZodObject, B extends z.ZodType> = {
  /** For example `a webhook`. */
  of: string
  params: P
  subject(params: z.output<P>): Subject
  /** The thing as it is now; throws if there is none. */
  read(ctx: Ctx, params: z.output<P>): Promise<Document>
  /** The body of its `PATCH`, the fields that are merged in there, and what that does. */
  patch: B
  merged?: readonly string[]
  save(
    ctx: Ctx,
    caller: Caller,
    params: z.output<P>,
    patch: z.output<B>,
    restored: Restored,
  ): Promise<unknown>
  returns: z.ZodType
}

/**
 * The list of revisions and the way back to one. A restore is a save like any other: the patch that leads there goes the way of all
 * patches, with the same checks, the same rights and the same audit entry.
 */
export function defineRevisionEndpoints<Ctx extends { db: Db }, P extends z.ZodObject, B extends z.ZodType>(
  kind: Kind<Ctx, P, B>,
) {
  const define = endpoint<Ctx>()
  return {
    list: define({
      summary: `List the revisions of ${kind.of}, newest first: who saved it, when, and what was changed`,
      params: kind.params,
      query: pageQuery,
      returns: pageOf(revisionShape),
      problems: ['not-found'],
      async answer(ctx, { params, query }) {
        const of = params as z.output<P> // parsed with this very shape
        await kind.read(ctx, of)
        const page = toPage(await listRows(ctx.db, kind.subject(of), query), query.limit)
        return {
          ...page,
          items: page.items.map(({ id: _, savedAt, before, ...row }) => ({
            ...row,
            savedAt: savedAt.toISOString(),
            changes: before ? compareDocuments(before, row.document) : [],
          })),
        }
      },
    }),
    restore: define({
      summary: `Save ${kind.of} as it was in a revision; secrets stay as they are now`,
      params: kind.params.extend({ n: z.coerce.number().pipe(z.int32().min(1)) }),
      returns: kind.returns,
      problems: ['not-found', 'forbidden', 'invalid-input'],
      async answer(ctx, { caller, params }) {
        const { n, ...of } = params as z.output<P> & { n: number } // as above, with the number
        const now = await kind.read(ctx, of as z.output<P>)
        const target = await findDocument(ctx.db, kind.subject(of as z.output<P>), n)
        if (!target)
          throw problem('not-found', 'There is no revision with this number, or it is no longer kept.')
        const parsed = kind.patch.safeParse(patchTo(now, target, kind.merged), { error: explainIssue })
        if (!parsed.success) throw invalidFields(describeIssues(parsed.error.issues))
        return await kind.save(ctx, caller, of as z.output<P>, parsed.data, { restoredFrom: n })
      },
    }),
  }
}
