import { randomBytes, scryptSync } from 'node:crypto'

/** A hash of a password that is checked in no time. A hash names its own settings, so it is as good as any other to sign in with. */
export function easyHash(password: string): string {
  const [cost, blockSize, parallelization] = [2, 1, 1]
  const salt = randomBytes(16)
  const key = scryptSync(password, salt, 32, { cost, blockSize, parallelization })
  return [
    'scrypt',
    cost,
    blockSize,
    parallelization,
    salt.toString('base64url'),
    key.toString('base64url'),
  ].join('$')
}
