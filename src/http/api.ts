import { randomUUID } from 'node:crypto'
import type { HttpBindings } from '@hono/node-server'
import { Hono, type Context as HonoContext } from 'hono'
import type { z } from 'zod'
import { isDiskFull, isUnavailable, isUnstorable } from '../platform/db/database.ts'
import { limitBody } from '../platform/http-server/limit-body.ts'
import type { SourceAddress } from '../platform/http-server/source-address.ts'
import { escapePointer } from '../platform/json/escape-pointer.ts'
import type { Log } from '../platform/log.ts'
import type { Tracing } from '../platform/tracing.ts'
import { type Actor, anonymousActor, mayActAs, type Role } from '../shared/actor.ts'
import { describeIssues, explainIssue } from '../shared/explain-issue.ts'
import type { Authentication } from '../shared/ports/authentication.ts'
import type { Endpoint } from './endpoint.ts'
import type { HttpMetrics } from './http-metrics.ts'
import { jsonResponse } from './json-response.ts'
import { invalidFields, notSignedIn, Problem, problem, problemBody } from './problems.ts'
import { readJsonBody } from './read-json-body.ts'
import { securityHeaders } from './security-headers.ts'

export type Access = 'anyone' | Role
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Route<Ctx> = {
  method: Method
  path: string
  access: Access
  endpoint: Endpoint<Ctx>
  maxBytes?: number
}

type Context = {
  log: Log
  metrics: HttpMetrics
  tracing: Tracing
  sourceAddress: SourceAddress
  authentication: Authentication
}

/** What the web app needs besides its endpoints. */
export type ApiHooks = {
  /** Refuses a change that another site makes a signed-in browser send. */
  checkOrigin(request: Request): void
  /** A known caller asked for something that they may not do. */
  onDenied(actor: Actor, denied: Denied): Promise<void>
  /** Where somebody who is not signed in reads how to get a token for this path (RFC 9728). */
  resourceMetadataUrl?(path: string): Promise<string | null> | null
  /** A route changed something; `id` is the one in its path. */
  onChanged(path: string, id: string | undefined): Promise<void>
  servePage(request: Request): Promise<Response | null>
}

/** `needs` if the whole route is for another role; `because` if only this request is refused. */
type Denied = {
  method: Method
  path: string
  subject?: string
  source: string
} & ({ needs: Role } | { because: string })

type Env = { Bindings: HttpBindings; Variables: { requestId: string; actor: Actor } }

/** For programs: one that asks for something that is not there must not get the dashboard's page instead. */
const machinePaths = /^\/(api|mcp|oauth|chat|hooks|\.well-known)(\/|$)/

const defaultMaxBytes = 1024 * 1024
/** Callers who are not authenticated yet may send no more than this: parsing 1 MiB of small objects takes over 100 ms. */
const anonymousMaxBytes = 64 * 1024

/** Turns the table of routes into a web app: parse, authorise, answer, and one log line for each request. */
export function createApi<Ctx extends Context>(
  ctx: Ctx,
  routes: readonly Route<Ctx>[],
  hooks: ApiHooks,
): Hono<Env> {
  const app = new Hono<Env>()
  app.use(securityHeaders, logged(ctx))
  for (const route of routes) {
    const maxBytes = maxBytesOf(route)
    app.on(
      route.method,
      honoPath(route.path),
      limitBody(maxBytes, () => refuseLargeBody(maxBytes)),
      (c) =>
        ctx.tracing.span(`${route.method} ${route.path}`, { 'http.route': route.path }, () =>
          answer(ctx, hooks, route, c),
        ),
    )
  }
  for (const [path, alike] of Map.groupBy(routes, (route) => route.path)) {
    const methods = alike.map(({ method }) => method)
    app.all(honoPath(path), () => {
      throw problem('method-not-allowed', `Use ${methods.join(' or ')}.`, {
        headers: { allow: methods.join(', ') },
      })
    })
  }
  // A route like any other: what `app.notFound` throws bypasses the middleware, so it would be neither logged nor counted.
  app.all('*', async (c) => {
    if (!machinePaths.test(c.req.path)) {
      const page = await hooks.servePage(c.req.raw)
      if (page) return page
    }
    throw problem('not-found', `There is no page or endpoint at ${shownPath(c.req.path)}.`)
  })
  app.onError((error, c) => renderProblem(ctx, error, c))
  return app
}

async function answer<Ctx extends Context>(
  ctx: Ctx,
  hooks: ApiHooks,
  route: Route<Ctx>,
  c: HonoContext<Env>,
): Promise<Response> {
  const { endpoint } = route
  const request = c.req.raw
  const source = sourceOf(ctx, c)
  const actor = await authorise(ctx, hooks, route, request, source)
  c.set('actor', actor)
  const sent = {
    params: parse(endpoint.params, c.req.param(), 'path'),
    query: parse(endpoint.query, c.req.query(), 'query'),
    body: endpoint.body
      ? parse(endpoint.body, await readJsonBody(request, endpoint, maxBytesOf(route)), 'body')
      : undefined,
  }
  const caller = { actor, source }
  const asked = { ...sent, actor, source, caller, requestId: c.get('requestId'), raw: request }
  const result = await endpoint.answer(ctx, asked).catch(async (error: unknown) => {
    if (error instanceof Problem && error.status === 403 && route.access !== 'anyone') {
      const { method, path } = route
      const subject = c.req.param('id')
      await hooks.onDenied(actor, {
        method,
        path,
        because: error.message,
        source,
        ...(subject && { subject }),
      })
    }
    throw isUnstorable(error) ? unstorable(sent, error) : error
  })
  if (route.method !== 'GET') await hooks.onChanged(route.path, c.req.param('id'))
  if (result instanceof Response) return result
  if (!endpoint.returns) return new Response(null, { status: endpoint.status })
  return await jsonResponse(request, result, endpoint.status)
}

async function authorise<Ctx extends Context>(
  ctx: Ctx,
  hooks: ApiHooks,
  { method, path, access }: Route<Ctx>,
  request: Request,
  source: string,
): Promise<Actor> {
  // Checks the path of the route, since a URL can be spelled in several ways. Cookies count only under /api/.
  if (path.startsWith('/api/') && method !== 'GET') hooks.checkOrigin(request)
  // Routes for anyone authenticate nobody, so they also answer while the database is down.
  if (access === 'anyone') return anonymousActor
  const actor = await ctx.authentication.findActor(request, source)
  if (!actor) {
    const metadataUrl = (await hooks.resourceMetadataUrl?.(path)) ?? null
    throw notSignedIn(/^bearer /i.test(request.headers.get('authorization') ?? ''), metadataUrl)
  }
  if (!mayActAs(actor, access)) {
    await hooks.onDenied(actor, { method, path, needs: access, source })
    throw problem('forbidden', `You need the role ${access} for this; yours is ${actor.role}. Ask an admin.`)
  }
  return actor
}

function parse(shape: z.ZodType | undefined, value: unknown, where: 'path' | 'query' | 'body'): unknown {
  if (!shape) return undefined
  const result = shape.safeParse(value, { error: explainIssue })
  if (result.success) return result.data
  // An id that is not well-formed cannot exist: answer as for any id that is not found.
  if (where === 'path') throw problem('not-found', noSuchId)
  throw invalidFields(describeIssues(result.error.issues))
}

const noSuchId = 'There is nothing with this id.'
function renderProblem(ctx: Context, error: unknown, c: HonoContext<Env>): Response {
  const known = toProblem(error)
  if (known.type === 'internal-error') {
    ctx.log.error({ err: error, requestId: c.get('requestId') }, 'request.failed')
  }
  return new Response(JSON.stringify(problemBody(known, c.get('requestId'))), {
    status: known.status,
    headers: { 'content-type': 'application/problem+json', ...known.headers },
  })
}

function unstorable(sent: { params: unknown; query: unknown; body: unknown }, cause: unknown): Problem {
  if (findNul(sent.params).length > 0) return problem('not-found', noSuchId, { cause })
  const pointers = [...findNul(sent.query), ...findNul(sent.body)]
  const detail = 'The text contains the character U+0000, which cannot be stored. Remove it.'
  return problem('invalid-input', detail, { errors: pointers.map((pointer) => ({ pointer, detail })), cause })
}

/** Any error that is not in the table of problems is a bug and becomes a 500 without details. */
function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (isUnavailable(error)) {
    const [detail, seconds] = isDiskFull(error)
      ? ['The database disk is full. Free some disk space; waiting work resumes on its own.', '30']
      : ['The database is not responding. Try again in a moment.', '2']
    return problem('unavailable', detail, { headers: { 'retry-after': seconds }, cause: error })
  }
  return problem('internal-error', 'The server log has the details under this instance id.')
}

function logged(ctx: Context) {
  return async (c: HonoContext<Env>, next: () => Promise<void>): Promise<void> => {
    const startedAt = performance.now()
    const requestId = `req_${randomUUID()}`
    c.set('requestId', requestId)
    await next()
    // Nobody reads the body of an answer to HEAD, so a stream would stay open forever.
    if (c.req.method === 'HEAD') await c.res.body?.cancel()
    const ms = performance.now() - startedAt
    c.res.headers.set('x-request-id', requestId)
    // No cache may keep answers about people, secrets and runs.
    if (c.req.path.startsWith('/api/') && !c.res.headers.has('cache-control'))
      c.res.headers.set('cache-control', 'no-store')
    const { status } = c.res
    const { method, path } = c.req
    const route = path.startsWith('/api/') || path === '/mcp' ? c.req.routePath : 'page'
    ctx.metrics.requests.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, ms / 1000)
    // 503 means that the database is down, or that we are starting or stopping. That is no fault of ours, and probes repeat it.
    const fault = status === 503 ? 'warn' : 'error'
    ctx.log[status >= 500 ? fault : route === 'page' ? 'debug' : 'info'](
      {
        method,
        path: shownPath(path),
        status,
        ms: Math.round(ms * 10) / 10,
        actor: c.get('actor')?.id,
        source: sourceOf(ctx, c),
        requestId,
      },
      'request.answered',
    )
  }
}

/** A mistyped URL may contain a webhook token or an API key, which must not reach the log. */
function shownPath(path: string): string {
  return path.replaceAll(/(whk|blh)_[\w-]+/g, '$1_…')
}

function sourceOf(ctx: Context, c: HonoContext<Env>): string {
  return ctx.sourceAddress(c.env.incoming.socket.remoteAddress, c.req.header('x-forwarded-for'))
}

function maxBytesOf<Ctx>({ maxBytes, access }: Route<Ctx>): number {
  return maxBytes ?? (access === 'anyone' ? anonymousMaxBytes : defaultMaxBytes)
}

function refuseLargeBody(maxBytes: number): never {
  throw problem('body-too-large', `The body can have ${maxBytes} bytes at most.`)
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** RFC 6901 pointers to the texts that contain U+0000. */
function findNul(value: unknown, pointer = ''): string[] {
  if (typeof value === 'string') return value.includes('\0') ? [pointer] : []
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => findNul(inner, `${pointer}/${escapePointer(key)}`))
}
