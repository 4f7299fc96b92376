import type { Command } from './command.ts'

const email = { summary: 'their email address' }
const role = { summary: 'admin, operator or member' }
const access = {
  url: { summary: 'where Bellhop answers (PUBLIC_URL, or this machine)' },
  key: { summary: 'an admin’s API key (API_KEY)' },
}

export const commands: Readonly<Record<string, Command>> = {
  start: {
    summary: 'start the service (this is what npm start does)',
    run: async () => (await import('./start.ts')).start(),
  },
  migrate: {
    summary: 'bring the database schema up to date and exit',
    run: async () => (await import('./migrate-only.ts')).migrateOnly(),
  },
  doctor: {
    summary: 'show the effective configuration and what is wrong with it',
    run: async () => (await import('./doctor.ts')).doctor(),
  },
  backup: {
    summary: 'copy the embedded database and its key into a new folder; the service may be running',
    options: { to: { summary: 'the folder to create' } },
    run: async (given) => (await import('./back-up.ts')).backUp(given),
  },
  'user create': {
    summary: 'create a user and print a link to set their password',
    options: { email, name: { summary: 'their name' }, role },
    run: async (given, command) => (await import('./user-commands.ts')).userCreate(given, command),
  },
  'user reset-password': {
    summary: 'print a link to set a user’s new password',
    options: { email },
    run: async (given, command) => (await import('./user-commands.ts')).userResetPassword(given, command),
  },
  'key create': {
    summary: 'create an API key and print it once',
    options: { name: { summary: 'what it is for' }, role },
    run: async (given, command) => (await import('./user-commands.ts')).keyCreate(given, command),
  },
  'replay-failed': {
    summary: 'replay the events whose runs failed with an error, for example after an outage of the model',
    options: {
      ...access,
      with: { summary: 'the code of the error (model_unavailable)' },
      since: { summary: 'how far back, such as 30m, 2h or 3d, or a date and time' },
      webhook: { summary: 'the id of a webhook (all)' },
    },
    run: async (given) => (await import('./remote-commands.ts')).replayFailed(given),
  },
  schedules: {
    summary: 'list the schedules with their next time and last outcome, or run one now',
    options: { ...access, run: { summary: 'the name or id of the schedule to run now' } },
    run: async (given) => (await import('./remote-commands.ts')).schedules(given),
  },
  rehearse: {
    summary:
      'try what a file would change about webhooks and schedules on their past events, for example in CI',
    options: {
      ...access,
      file: { short: 'f', summary: 'the file, as export writes it' },
      last: { summary: 'how many of the latest events of each (50)' },
      when: { summary: 'a condition (CEL): only events for which it is true' },
      cases: { flag: true, summary: 'the cases instead; without a file, all cases with the saved settings' },
      budget: { summary: 'what each rehearsal may cost at most, such as 1.00' },
      reads: { summary: 'recorded or live (recorded)' },
      'fail-on': { summary: 'the outcomes that fail: new-write,failed; with --cases: check' },
      format: { summary: 'text, json or junit (text)' },
    },
    run: async (given) => (await import('./rehearse.ts')).rehearse(given),
  },
  'rotate-encryption-key': {
    summary: 're-encrypt every secret with a new key; the service may be running',
    run: async () => (await import('./rotate-encryption-key.ts')).rotateEncryptionKey(),
  },
  'rotate-signing-key': {
    summary: 'sign receipts with a new key; the former stays published for a day',
    options: access,
    run: async (given) => (await import('./remote-commands.ts')).rotateSigningKey(given),
  },
  'audit verify': {
    summary: 'say whether an entry of the audit log was edited, removed or inserted',
    options: { head: { summary: 'a file with a signed head that you kept, from the log line audit.head' } },
    run: async (given) => (await import('./audit-verify.ts')).auditVerify(given),
  },
  verify: {
    summary: 'say whether a receipt, or a request with one, is genuine',
    options: {
      file: { short: 'f', summary: 'the receipt, or the request as the target received it (standard input)' },
      jwks: { summary: 'the public keys, a file or an address (PUBLIC_URL/.well-known/jwks.json)' },
      url: { summary: 'the address that the request was sent to (https and its Host)' },
      at: { summary: 'whether it was in force then (when it was issued)' },
    },
    run: async (given) => (await import('./verify.ts')).verify(given),
  },
  export: {
    summary:
      'write groups, connectors, channels, webhooks, schedules and policies as a file, secrets as references to variables',
    // An option, because npm prints lines of its own before the command's output.
    options: { ...access, file: { short: 'f', summary: 'where to write it (to the terminal)' } },
    run: async (given) => (await import('./declared/declared-commands.ts')).exportConfig(given),
  },
  apply: {
    summary:
      'create and change groups, connectors, channels, webhooks, schedules and policies to match a file',
    options: { ...access, file: { short: 'f', summary: 'the file, as export writes it' } },
    run: async (given) => (await import('./declared/declared-commands.ts')).apply(given),
  },
}
