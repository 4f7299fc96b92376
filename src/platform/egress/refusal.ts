/** The rules an address can break, each with its message. No message may depend on what a name resolved to. */
const refusalRules = {
  'malformed-url': 'This is not a complete URL. Write it like https://api.example.com/v1.',
  scheme: 'Only https:// and http:// addresses can be called.',
  userinfo: 'A URL must not carry a user name or password. Use the authentication settings instead.',
  name: 'The host name is not valid.',
  'local-name':
    'Names of the local machine or network (localhost, *.local, *.internal, names without a dot) are not allowed. Use a public host name, or start the server with an exception for it, for example EGRESS_PRIVATE_EXCEPTIONS=localhost:4000.',
  'own-origin': 'Bellhop must not call itself.',
  allowlist:
    'The host is not on the list of allowed hosts. The server’s operator can add it to EGRESS_ALLOWED_HOSTS.',
  'non-public-address':
    'The host resolves to a private address, which is blocked. Use a public address, or allow this one with EGRESS_PRIVATE_EXCEPTIONS, for example EGRESS_PRIVATE_EXCEPTIONS=10.1.2.3:8080, and restart the server.',
  'changed-address': 'The connection reached a different address than the one that was checked.',
} as const

export type RefusalRule = keyof typeof refusalRules

/** What the caller learns: the rule, and nothing about the internal network. */
export type Refusal = { rule: RefusalRule; message: string }

export function refusal(rule: RefusalRule): Refusal {
  return { rule, message: refusalRules[rule] }
}
