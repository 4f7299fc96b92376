import type { z } from 'zod'
import { createApiKey } from '../accounts/api-keys/create-api-key.ts'
import { createApiKeyBody, createUserBody } from '../accounts/contract.ts'
import { createResetLink } from '../accounts/users/create-reset-link.ts'
import { createUser } from '../accounts/users/create-user.ts'
import { type Command, commandLine, type Options } from './command.ts'
import { withStore } from './with-store.ts'

export async function userCreate(given: Options, command: Command): Promise<number> {
  const user = checked(command, createUserBody, { name: given.email, ...given })
  return await withStore(
    async (ctx) => {
      const { link } = await createUser(ctx, commandLine, user)
      process.stdout.write(`Created ${user.email}. One-time link to set a password: ${link.url}\n`)
      return 0
    },
    { mayCreate: true },
  )
}

export async function userResetPassword(given: Options, command: Command): Promise<number> {
  const whose = checked(command, createUserBody.pick({ email: true }), given)
  return await withStore(async (ctx) => {
    const { url } = await createResetLink(ctx, commandLine, whose)
    process.stdout.write(`${whose.email}: one-time link to set a new password: ${url}\n`)
    return 0
  })
}

export async function keyCreate(given: Options, command: Command): Promise<number> {
  const asked = checked(command, createApiKeyBody, given)
  return await withStore(
    async (ctx) => {
      const { key } = await createApiKey(ctx, commandLine, asked)
      process.stdout.write(`${key}\n`)
      return 0
    },
    { mayCreate: true },
  )
}

/** Validates by the rules of the API. */
function checked<Shape extends z.ZodType>(command: Command, shape: Shape, given: Options): z.output<Shape> {
  const parsed = shape.safeParse(given)
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(({ path, message }) => {
    const name = path.join('.')
    return given[name] === undefined
      ? `--${name} is missing: ${command.options?.[name]?.summary}.`
      : `--${name}: ${message}`
  })
  throw new Error(faults.join('\n'))
}
