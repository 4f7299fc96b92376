import type { TOTP } from 'otpauth'
import type { Place } from '../../platform/crypto/vault.ts'
import { Secret } from '../../platform/secret.ts'

export function secretPlace(userId: string): Place {
  return { table: 'users', row: userId, column: 'totp_secret' }
}

/** Loaded on first use: most people never need it. */
export async function loadAuthenticator(user: { email: string }, secret: Secret): Promise<TOTP> {
  const { TOTP } = await import('otpauth')
  return new TOTP({ issuer: 'Bellhop', label: user.email, secret: secret.reveal() })
}

/** 160 bits, as RFC 4226 recommends, in base32. */
export async function newTotpSecret(): Promise<Secret> {
  const { Secret: Random } = await import('otpauth')
  return new Secret(new Random({ size: 20 }).base32)
}
