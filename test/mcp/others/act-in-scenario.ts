import { setTimeout as pause } from 'node:timers/promises'

type Tool = {
  id: string
  name: string
  modelName: string
  hash: string
  inputSchema: { properties?: Record<string, Property> }
}
type Property = { type?: string | string[] }
type Shown = { id: string; grant: { lastError: string | null } | null; tools: Tool[] }
type Given = {
  client_id?: string
  client_secret?: string
  toolCalls?: { name: string; arguments: Record<string, unknown> }[]
}

export type Scenario = { scenario: string; context?: string; url: string }
type Installation = { url: string; key: string; cookie: string; callback: string }

/**
 * What an admin of a running Bellhop does in a scenario of the conformance suite: connects the suite's server, signs in where it says,
 * enables its tools and tries each of them. Where the server asks a person, they let the agent call the tools instead, and answer. The
 * suite judges what its server gets from Bellhop meanwhile.
 */
export async function actInScenario(
  { scenario, context = '{}', url }: Scenario,
  { url: bellhop, key, cookie, callback }: Installation,
  tell: (line: string) => void,
): Promise<void> {
  const given = JSON.parse(context) as Given
  const isProgram = scenario.startsWith('auth/client-credentials')
  const usesOauth = scenario.startsWith('auth/')
  const asksPerson = /^(elicitation|sep-2322)/.test(scenario)

  const { id } = await ask<Shown>('POST', '/connectors', {
    type: 'mcp',
    name: scenario,
    url,
    timeoutMs: 10_000,
    ...(usesOauth
      ? {
          authType: isProgram ? 'oauth_client' : 'oauth',
          oauth: { clientId: given.client_id ?? null, clientSecret: given.client_secret ?? null },
        }
      : {}),
  })
  const path = `/connectors/${id}`

  // A person signs in again if a call is refused for want of it, and then gives up.
  for (let turn = 0; turn < 2; turn++) {
    if (usesOauth && !isProgram) await signIn()
    if (await tryTools()) break
  }

  // The suite ends once nobody is connected to its server.
  await ask('DELETE', path)

  /** False if the server wants somebody to sign in again. */
  async function tryTools(): Promise<boolean> {
    let isFine = true
    const tested = await ask<{ problem: unknown }>('POST', `${path}/test`)
    const { tools } = await ask<Shown>('GET', path)
    for (const { id: toolId, hash } of tools)
      await ask('PATCH', `${path}/tools/${toolId}`, { state: 'enabled', capability: 'read', hash })
    if (asksPerson) return await letAgentCall(tools)
    for (const tool of tools) {
      const tried = await ask<{ error: unknown }>('POST', `/tools/${tool.id}/try`, {
        input: inputFor(tool, tools),
      })
      isFine &&= !tried.error
    }
    return isFine && !tested.problem
  }

  /** The model of the test calls the tool that the message names. */
  async function letAgentCall(tools: Tool[]): Promise<true> {
    const channel = await ask<{ id: string }>('POST', '/channels', { name: crypto.randomUUID() })
    // Tools of other scenarios have schemas that no model takes.
    await ask('PATCH', `/channels/${channel.id}`, { connectorIds: [id] })
    for (const { modelName } of tools) {
      const { id: said } = await ask<{ id: string }>('POST', `/channels/${channel.id}/messages`, {
        text: `@bellhop call ${modelName}`,
      })
      for (let isDone = false; !isDone; await pause(100)) {
        const { items } = await ask<{ items: { id: string }[] }>('GET', '/questions')
        for (const question of items)
          await ask('POST', `/questions/${question.id}/answer`, { action: 'accept', input: {} })
        const runs = await ask<{ items: { threadId: string | null; endedAt: string | null }[] }>(
          'GET',
          '/runs',
        )
        isDone = runs.items.some(({ threadId, endedAt }) => threadId === said && endedAt !== null)
      }
    }
    return true
  }

  /** What a browser does, which is sent back to Bellhop; if nobody is sent anywhere, nothing. */
  async function signIn(): Promise<void> {
    const { issuer } = await ask<{ issuer?: string }>('POST', `${path}/oauth/discover`)
    const begun = await ask<{ authorizationUrl?: string }>('POST', `${path}/oauth/start`, { issuer })
    let at = begun.authorizationUrl ?? null
    while (at !== null && !at.startsWith(callback)) {
      const answer = await fetch(at, { redirect: 'manual' })
      const to = answer.headers.get('location')
      at = to === null ? null : new URL(to, at).href
    }
    if (at === null) return
    await fetch(`${bellhop}${new URL(at).pathname}${new URL(at).search}`, {
      redirect: 'manual',
      headers: { cookie: cookie },
    })
  }

  function inputFor({ name, inputSchema }: Tool, tools: Tool[]): unknown {
    const wanted = given.toolCalls?.find((call) => call.name === name)
    // An input that is null is not of the type that its schema demands, so none is sent.
    if (wanted)
      return Object.fromEntries(Object.entries(wanted.arguments).filter(([, value]) => value !== null))
    const values = Object.entries(inputSchema.properties ?? {}).map(([key, property]) => [
      key,
      valueFor(property, tools),
    ])
    return Object.fromEntries(values)
  }

  async function ask<T>(method: string, to: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${bellhop}/api/v1${to}`, {
      method,
      headers: {
        'content-type': 'application/json',
        // Only a person in a browser begins to sign in, and is asked.
        ...(to.endsWith('/start') || asksPerson ? { cookie: cookie } : { authorization: `Bearer ${key}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    tell(`${method} ${to} ${answer.status} ${text}`)
    return JSON.parse(text || 'null')
  }
}

function valueFor({ type }: Property, [first]: Tool[]): unknown {
  // A tool of the suite wants to see the schema of another one as it arrived.
  if (type === 'object') return first?.inputSchema
  if (type === 'number' || type === 'integer') return 5
  return type === 'boolean' ? true : 'text'
}
