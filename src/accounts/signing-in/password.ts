import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { problem } from '../../http/problems.ts'

/** OWASP's scrypt settings for 32 MiB. They are stored with each hash, so raising them later breaks no password. */
const settings = { cost: 2 ** 15, blockSize: 8, parallelization: 3 }
const keyBytes = 32

/** scrypt shares Node's thread pool with DNS lookups and decompression, so some of its threads must stay free. */
const maxConcurrent = 2
/** Bounds guesses from thousands of networks that each stay below their own limit. */
const maxQueued = 100
let underWay = 0
const queue: (() => void)[] = []

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, settings)
  const { cost, blockSize, parallelization } = settings
  return ['scrypt', cost, blockSize, parallelization, text(salt), text(key)].join('$')
}

/** Without a hash it takes as long and returns false, so that timing does not reveal whether an account exists. */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  if (hash === null) {
    await derive(password, randomBytes(16), settings)
    return false
  }
  const [, cost, blockSize, parallelization, salt = '', key = ''] = hash.split('$')
  const found = await derive(password, Buffer.from(salt, 'base64url'), {
    cost: Number(cost),
    blockSize: Number(blockSize),
    parallelization: Number(parallelization),
  })
  const expected = Buffer.from(key, 'base64url')
  return expected.length === found.length && timingSafeEqual(expected, found)
}

async function derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  if (underWay < maxConcurrent) underWay++
  else if (queue.length < maxQueued) await new Promise<void>((resolve) => queue.push(resolve))
  else {
    const detail = 'Too many people are signing in at the same time. Try again in a few seconds.'
    throw problem('too-many-requests', detail, { headers: { 'retry-after': '5' } })
  }
  try {
    return await compute(password, salt, options)
  } finally {
    const next = queue.shift()
    if (next) next()
    else underWay--
  }
}

function compute(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Different keyboards may encode the same letters differently (NIST SP 800-63B §3.1.1.2).
    const bytes = Buffer.from(password.normalize('NFKC'))
    scrypt(bytes, salt, keyBytes, { ...options, maxmem: 128 * 1024 * 1024 }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

function text(bytes: Buffer): string {
  return bytes.toString('base64url')
}
