import { randomInt } from 'node:crypto'
import { hashToken } from '../../platform/crypto/token.ts'

/** Letters and digits that are not confused on paper. */
const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const groups = 4
const groupLength = 4

/** 79 bits each: too many to guess, even with the hashes. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: 10 }, () => Array.from({ length: groups }, newGroup).join('-'))
}

export function hashRecoveryCode(code: string): string {
  return hashToken(code.toLowerCase().replaceAll(/[^a-z0-9]/g, ''))
}

function newGroup(): string {
  return Array.from({ length: groupLength }, () => alphabet.charAt(randomInt(alphabet.length))).join('')
}
