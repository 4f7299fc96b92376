import { causesOf } from '../causes-of.ts'
import { mostConnections } from '../connections.ts'

type Failure = { code?: string; message: string }

const authority =
  'Name the authority that signed its certificate: ?sslmode=verify-full&sslrootcert=/path/to/ca.pem behind the address.'

/** By SQLSTATE, by Node's code, or by the driver's words where it has no code: what an operator can do. */
const advice: readonly [when: (failure: Failure) => boolean, what: string][] = [
  [
    ({ message }) => /^SASL: .*client password must be/.test(message),
    'The server asks for a password, and DATABASE_URL has none.',
  ],
  [({ code }) => code === 'ERR_TLS_CERT_ALTNAME_INVALID', 'Use a host name that its certificate has.'],
  [({ code }) => code === 'CERT_HAS_EXPIRED', 'Renew the certificate of the server.'],
  [({ code }) => /CERT|SIGNATURE|ISSUER/.test(code ?? ''), authority],
  [
    ({ code }) => code === '28000',
    'If the server takes only encrypted connections, append ?sslmode=verify-full to the address.',
  ],
  [
    ({ code }) => code === '42501',
    'The role of DATABASE_URL must own its database and everything in it: alter database … owner to …; ' +
      'restore a dump as that role, with --no-owner.',
  ],
  [
    ({ code }) => code === '53300',
    `Each process of Bellhop opens up to ${mostConnections} connections: raise the limit of the role or max_connections of the server.`,
  ],
  [
    ({ code }) => code === '3F000' || code === '42P01',
    'The search_path of the role or the database must lead to the schema of Bellhop’s tables, usually public: reset it, or create the schema.',
  ],
  [
    ({ code }) => code === 'XX001' || code === 'XX002',
    'The files of the database are damaged, for example by the disk. Restore a backup.',
  ],
  [({ code }) => code === '42P07', 'Give Bellhop a database that nothing else uses.'],
]

/** What to do about a failure of the database, as a sentence; undefined if its own words must do. */
export function adviseOnFailure(error: unknown): string | undefined {
  for (const cause of causesOf(error)) {
    const found = advice.find(([when]) => when(cause))
    if (found) return found[1]
  }
  return undefined
}
