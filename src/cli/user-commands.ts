import { createApiKey } from '../accounts/create-api-key.ts'
import { createResetLink } from '../accounts/create-reset-link.ts'
import { createUser } from '../accounts/create-user.ts'
import { type Caller, type Role, roles } from '../actor.ts'
import type { Command } from './run-command.ts'
import { withStore } from './with-store.ts'

/** Whoever can run commands on the server can read the whole database: an admin in all but name. */
const operator: Caller = {
  actor: { kind: 'system', id: 'command-line', name: 'the command line', role: 'admin' },
  source: 'command line',
}

const role = { type: 'string', says: 'admin, operator or member' } as const

export const userCreate: Command = {
  says: 'create a user and print the link with which they set their password',
  options: {
    email: { type: 'string', says: 'their e-mail address' },
    name: { type: 'string', says: 'their name' },
    role,
  },
  async run(options) {
    const email = required(options, 'email')
    const name = typeof options.name === 'string' ? options.name : email
    return await withStore(async (ctx) => {
      const { link } = await createUser(ctx, operator, { email, name, role: readRole(options.role) })
      process.stdout.write(`Created ${email}. They set a password here, once: ${link.url}\n`)
      return 0
    })
  },
}

export const userResetPassword: Command = {
  says: 'print a link with which a user sets a new password',
  options: { email: { type: 'string', says: 'their e-mail address' } },
  async run(options) {
    const email = required(options, 'email')
    return await withStore(async (ctx) => {
      const { url } = await createResetLink(ctx, operator, { email })
      process.stdout.write(`${email} sets a new password here, once: ${url}\n`)
      return 0
    })
  },
}

export const keyCreate: Command = {
  says: 'create an API key and print it, this once',
  options: { name: { type: 'string', says: 'what it is for' }, role },
  async run(options) {
    const name = required(options, 'name')
    return await withStore(async (ctx) => {
      const { key } = await createApiKey(ctx, operator, { name, role: readRole(options.role) })
      process.stdout.write(`${key}\n`)
      return 0
    })
  },
}

function required(options: Record<string, string | boolean | undefined>, name: string): string {
  const value = options[name]
  if (typeof value !== 'string' || value === '') throw new Error(`--${name} is missing.`)
  return value
}

function readRole(value: string | boolean | undefined): Role {
  const found = roles.find((known) => known === value)
  if (!found) throw new Error(`--role must be ${roles.join(', ')}.`)
  return found
}
