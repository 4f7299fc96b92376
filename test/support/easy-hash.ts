import { randomBytes, scryptSync } from 'node:crypto'

/** A password hash that is quick to check. A hash contains its own settings, so it works for signing in like any other. */
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
