import type { z } from 'zod'
import type { Actor, Caller } from './actor.ts'
import type { ProblemType } from './problems.ts'

/** What an endpoint is handed: parsed at the door, trusted inside. */
type Incoming<P = unknown, Q = unknown, B = unknown> = {
  params: P
  query: Q
  body: B
  /** Who asks. Behind the door `anyone` nobody signs in: there it is always the anonymous actor. */
  actor: Actor
  /** The caller's address, as far as TRUSTED_PROXIES lets us believe it. */
  source: string
  /** Both, for whatever changes something and puts it on record. */
  caller: Caller
  requestId: string
  raw: Request
}

type Infer<T> = T extends z.ZodType ? z.output<T> : undefined

/** One thing a caller can ask for. src/routes.ts gives it its URL and its door. */
export type Endpoint<Ctx> = {
  summary: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  /** Numbers in the body that JavaScript would round reach `answer` as they are written (RawNumber). */
  exactNumbers?: boolean
  status: number
  /** The shape of the answer; none means an answer without a body, or one that `answer` makes itself as a `Response`. */
  returns?: z.ZodType
  /** The media type of such an answer. */
  mediaType?: string
  /** Of server-sent events: the shape of each, by its name. */
  streams?: Readonly<Record<string, z.ZodType>>
  /** Those worth naming in the API's description; the usual ones are added there. */
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
    // The cast widens what the schemas above have narrowed: src/api.ts parses with exactly these schemas before it calls.
    answer: definition.answer as Endpoint<Ctx>['answer'],
  })
}
