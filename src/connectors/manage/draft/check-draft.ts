import { setImmediate } from 'node:timers/promises'
import type { FieldError } from '../../../http/problems.ts'
import { isHeaderName, isHeaderValue, reservedHeaders } from '../../../platform/egress/judge-headers.ts'
import { maxHeaders } from '../../auth/contract.ts'
import { describeKeyInUrl, findKeyInUrl } from '../../auth/credential-in-url.ts'
import { checkOauth } from '../../auth/oauth-settings.ts'
import { changesMethod } from '../../http/changes-method.ts'
import { checkTool } from './check-tool.ts'
import { type Draft, headerPointer } from './draft.ts'

/**
 * Everything that can be wrong with a connector except where its address leads, which the egress decides. An imported API may
 * have a thousand schemas to compile, so the event loop gets a turn between tools.
 */
export async function checkDraft(
  draft: Draft,
  { skipsTools }: { skipsTools: boolean },
): Promise<FieldError[]> {
  const errors = [...checkBaseUrl(draft.baseUrl), ...checkAuthentication(draft)]
  if (skipsTools) return errors
  errors.push(...checkToolNames(draft))
  for (const [index, tool] of draft.tools.entries()) {
    errors.push(
      ...checkTool(tool).map(({ pointer, detail }) => ({ pointer: `/tools/${index}${pointer}`, detail })),
    )
    await setImmediate()
  }
  return errors
}

/** The part that is the same for MCP servers. */
export function checkAuthentication(draft: Draft): FieldError[] {
  return [...checkHeaders(draft), ...checkAuth(draft), ...checkOauth(draft.authType, draft.oauth)]
}

function checkBaseUrl(baseUrl: string): FieldError[] {
  const refuse = (detail: string) => [{ pointer: '/baseUrl', detail }]
  if (!URL.canParse(baseUrl))
    return refuse('This is not a complete URL. Write it like https://api.example.com/v1.')
  const key = findKeyInUrl(baseUrl)
  if (key) return refuse(describeKeyInUrl(key))
  if (baseUrl.includes('?'))
    return refuse('A base URL has no query. Put fixed parameters into the path of a tool.')
  if (baseUrl.includes('#')) return refuse('A base URL has no fragment (#…).')
  if (/[{}]/.test(baseUrl))
    return refuse('A base URL has no placeholders; they belong in the path of a tool.')
  return []
}

function checkHeaders(draft: Draft): FieldError[] {
  if (draft.headers.length > maxHeaders) {
    return [{ pointer: '/defaultHeaders', detail: `At most ${maxHeaders} default headers are allowed.` }]
  }
  return draft.headers.flatMap(({ name, value }, index) => {
    const refuse = (detail: string) => [{ pointer: headerPointer(name), detail }]
    if (!isHeaderName(name)) return refuse("A header name has only letters, digits and -_.!#$%&'*+^`|~.")
    if (reservedHeaders.has(name.toLowerCase())) {
      return refuse(
        `${name} cannot be a default header: the connection and the method of the tool decide it.`,
      )
    }
    if (!isHeaderValue(typeof value === 'string' ? value : value.reveal())) {
      return refuse('A header value has no line breaks and only ASCII characters.')
    }
    const isDuplicate =
      draft.headers.findIndex((other) => other.name.toLowerCase() === name.toLowerCase()) !== index
    return isDuplicate ? refuse('This header is given twice.') : []
  })
}

function checkAuth(draft: Draft): FieldError[] {
  const errors: FieldError[] = []
  const { authType, authName: name } = draft
  if (name !== null && authType === 'query') {
    if (changesMethod(name) || !isHeaderName(name)) {
      errors.push({
        pointer: '/authName',
        detail: 'This cannot be the name of a query parameter for a key. Use one like api_key.',
      })
    }
  } else if (name !== null && (!isHeaderName(name) || reservedHeaders.has(name.toLowerCase()))) {
    errors.push({
      pointer: '/authName',
      detail: 'This cannot be the name of a header for a key. Use one like X-API-Key.',
    })
  }
  const value = draft.authValue?.reveal()
  if (value === undefined || authType === 'none') return errors
  if (authType === 'basic') {
    if (!value.includes(':')) errors.push({ pointer: '/authValue', detail: 'Write it as username:password.' })
  } else if (!isHeaderValue(value)) {
    errors.push({
      pointer: '/authValue',
      detail: 'A key or token has no line breaks and only ASCII characters.',
    })
  }
  return errors
}

function checkToolNames({ tools }: Draft): FieldError[] {
  return tools.flatMap(({ name }, index) =>
    tools.findIndex((other) => other.name === name) === index
      ? []
      : [{ pointer: `/tools/${index}/name`, detail: `Another tool of this connector is called ${name}.` }],
  )
}
