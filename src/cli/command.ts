import type { Caller } from '../shared/actor.ts'

/** The options that were given. */
export type Options = Record<string, string | undefined>

/** `run` returns the exit code. It imports the command's code, so that nobody loads that of all the others. */
export type Command = {
  summary: string
  /** `flag`: given without a value. */
  options?: Record<string, { short?: string; flag?: true; summary: string }>
  run(given: Options, command: Command): Promise<number>
}

/** Whoever can run commands on the server can read the whole database, so they act as an admin. */
export const commandLine: Caller = {
  actor: { kind: 'system', id: 'command-line', name: 'the command line', role: 'admin' },
  source: 'command line',
}
