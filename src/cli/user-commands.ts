import type { z } from 'zod'
import { createApiKey } from '../accounts/api-keys/create-api-key.ts'
import { createApiKeyBody, createUserBody } from '../accounts/contract.ts'
import { createResetLink } from '../accounts/users/create-reset-link.ts'
import { createUser } from '../accounts/users/create-user.ts'
import type { Command, Options } from './command.ts'
import { commandLine } from './command-line.ts'
import { withStore } from './with-store.ts'

const email = { summary: 'their email address' }
const role = { summary: 'admin, operator or member' }

export const userCreate: Command = {
  summary: 'create a user and print a link to set their password',
  options: { email, name: { summary: 'their name' }, role },
  async run(options) {
    const user = checked(userCreate, createUserBody, { name: options.email, ...options })
    return await withStore(
      async (ctx) => {
        const { link } = await createUser(ctx, commandLine, user)
        process.stdout.write(`Created ${user.email}. One-time link to set a password: ${link.url}\n`)
        return 0
      },
      { mayCreate: true },
    )
  },
}

export const userResetPassword: Command = {
  summary: 'print a link to set a user’s new password',
  options: { email },
  async run(options) {
    const whose = checked(userResetPassword, createUserBody.pick({ email: true }), options)
    return await withStore(async (ctx) => {
      const { url } = await createResetLink(ctx, commandLine, whose)
      process.stdout.write(`${whose.email}: one-time link to set a new password: ${url}\n`)
      return 0
    })
  },
}

export const keyCreate: Command = {
  summary: 'create an API key and print it once',
  options: { name: { summary: 'what it is for' }, role },
  async run(options) {
    const asked = checked(keyCreate, createApiKeyBody, options)
    return await withStore(
      async (ctx) => {
        const { key } = await createApiKey(ctx, commandLine, asked)
        process.stdout.write(`${key}\n`)
        return 0
      },
      { mayCreate: true },
    )
  },
}

/** Validates by the rules of the API. */
function checked<Shape extends z.ZodType>(command: Command, shape: Shape, options: Options): z.output<Shape> {
  const parsed = shape.safeParse(options)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(({ path, message }) => {
    const name = path.join('.')
    return options[name] === undefined
      ? `--${name} is missing: ${command.options?.[name]?.summary}.`
      : `--${name}: ${message}`
  })
  throw new Error(faults.join('\n'))
}
