import type { Options } from './command.ts'
import { openManagementApi } from './declared/management-api.ts'

type Keys = { jwksUrl: string; keys: { id: string; retiredAt: string | null }[] }

export async function rotateSigningKey(access: Options): Promise<number> {
  await using api = openManagementApi(access)
  const { jwksUrl, keys } = await api.send<Keys>('POST', '/signing-keys/rotate', {})
  const current = keys.find(({ retiredAt }) => retiredAt === null)
  process.stdout.write(
    `Receipts are signed with the new key ${current?.id}. Targets find it at ${jwksUrl}; the former stays there for a day.\n`,
  )
  return 0
}
