import type { z } from 'zod'
import type { Actor, Caller } from '../shared/actor.ts'
import type { ProblemType } from './problems.ts'

/** What an endpoint receives: parsed and validated. */
type Incoming<P = unknown, Q = unknown, B = unknown> = {
  params: P
  query: Q
  body: B
  /** Who asks. On a route for `anyone` it is always the anonymous actor. */
  actor: Actor
  /** The caller's address; X-Forwarded-For counts only from TRUSTED_PROXIES. */
  source: string
  /** Actor and source together, for the audit log. */
  caller: Caller
  requestId: string
  raw: Request
}

type Infer<T> = T extends z.ZodType ? z.output<T> : undefined

/** One operation of the API. src/routes.ts assigns its URL and who may call it. */
export type Endpoint<Ctx> = {
  summary: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** Numbers in the body that JavaScript would round reach `answer` as written (RawNumber). */
  exactNumbers?: boolean
  status: number
  /** The shape of the answer. Without it, the answer has no body, or `answer` returns a `Response`. */
  returns?: z.ZodType
  /** The media type of such a `Response`. */
  mediaType?: string
  /** For server-sent events: the shape of each, by event name. */
  streams?: Readonly<Record<string, z.ZodType>>
  /** The problems worth naming in the API description; the common ones are added there. */
  problems?: readonly ProblemType[]
  answer(ctx: Ctx, request: Incoming): Promise<unknown>
}

type Definition<Ctx, P, Q, B, R> = Pick<
  Endpoint<Ctx>,
  'summary' | 'exactNumbers' | 'mediaType' | 'streams' | 'problems'
> & {
  params?: P
  query?: Q
  body?: B
  status?: number
  returns?: R
  answer(ctx: Ctx, request: Incoming<Infer<P>, Infer<Q>, Infer<B>>): Answering<R>
}

type Answering<R> = R extends z.ZodType ? Promise<z.input<R> | Response> : Promise<void> | Promise<Response>

/** `const define = endpoint<Context>()`, then `export const listRuns = define({ … })`. */
export function endpoint<Ctx>() {
  return <
    P extends z.ZodObject | undefined = undefined,
    Q extends z.ZodObject | undefined = undefined,
    B extends z.ZodType | undefined = undefined,
    R extends z.ZodType | undefined = undefined,
  >(
    definition: Definition<Ctx, P, Q, B, R>,
  ): Endpoint<Ctx> => ({
    ...definition,
    status:
      definition.status ?? (definition.returns || definition.streams || definition.mediaType ? 200 : 204),
    // The cast widens what the schemas above narrowed: src/http/api.ts parses with exactly these schemas before it calls.
    answer: definition.answer as Endpoint<Ctx>['answer'],
  })
}
