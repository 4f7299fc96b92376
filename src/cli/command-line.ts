import type { Caller } from '../shared/actor.ts'

/** Whoever can run commands on the server can read the whole database, so they act as an admin. */
export const commandLine: Caller = {
  actor: { kind: 'system', id: 'command-line', name: 'the command line', role: 'admin' },
  source: 'command line',
}
