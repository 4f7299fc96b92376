export type EventHeaders = Record<string, string>

/** Header names that carry a credential, whoever the sender is. */
const credential =
  /auth|cookie|signature|secret|token|hmac|api[-_]?key|password|credential|session|^x-hub-|^x-amz-security/i

/** Headers that tell the kind of event: useful to the agent, and not secret. */
const eventHeader =
  /^(ce-.+|content-type|user-agent|webhook-(id|timestamp)|svix-(id|timestamp)|idempotency-key|request-id|x-request-(id|uuid)|x-[a-z0-9-]*(event|topic|delivery|resource|action|webhook-id|shop-domain|api-version|instance|hook-id|target-(id|type))(-[a-z0-9-]+)?|linear-(event|delivery)|sentry-hook-(resource|timestamp)|x-atlassian-webhook-identifier)$/i

const maxHeaderValueLength = 1000

/** The headers that the agent sees: the sender's event headers, and those that the operator names. Both lists are in lower case. */
export function selectHeaders(
  rawHeaders: readonly string[],
  exposed: readonly string[],
  verifying: readonly string[],
): EventHeaders {
  // No prototype: a header called __proto__ is a name like any other.
  const selected: EventHeaders = Object.create(null)
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? '').toLowerCase()
    const shown = exposed.includes(name) || (isEventHeader(name) && !verifying.includes(name))
    if (!shown) continue
    const value = (rawHeaders[at + 1] ?? '').slice(0, maxHeaderValueLength)
    selected[name] = selected[name] === undefined ? value : `${selected[name]}, ${value}`
  }
  return selected
}

/** No sender's event header has a longer name. Matching one of 30,000 characters would block the event loop. */
const longestName = 100

function isEventHeader(name: string): boolean {
  return name.length <= longestName && eventHeader.test(name) && !isCredential(name)
}

/** For our own pages: a credential stays hidden even if the operator shows it to the agent. */
export function isCredential(headerName: string): boolean {
  return credential.test(headerName)
}
