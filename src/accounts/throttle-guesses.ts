import ipaddr from 'ipaddr.js'
import { hashToken } from '../platform/crypto/token.ts'
import type { Db } from '../platform/db/database.ts'
import { problem } from '../problems.ts'
import { forgetAttempts, type Limit, returnAttempt, takeAttempt } from './store/attempts.ts'

/** A person mistypes a few times; a program that guesses gets one try a minute per account. */
const perAccount: Limit = { burst: 10, everySeconds: 60 }
/** An office behind one address signs in at nine o'clock: only failures count, and there may be more of them. */
const perSource: Limit = { burst: 30, everySeconds: 10 }

type Guess = {
  /** Right: the account starts afresh. */
  forgive(): Promise<void>
  /** Neither right nor wrong: as if it had not happened. */
  takeBack(): Promise<void>
}

/**
 * Call before a password or code is checked. Whoever does not call back has guessed wrong. The account is a user's id, or what was
 * typed where there is no such user: both are refused alike.
 */
export async function throttleGuesses(db: Db, account: string, source: string): Promise<Guess> {
  // Hashed, so that what people type by mistake into the e-mail field is not kept.
  const guessed = `account ${hashToken(account.toLowerCase())}`
  const address = `source ${network(source)}`
  refuse(await takeAttempt(db, address, perSource), 'from this address')
  refuse(await takeAttempt(db, guessed, perAccount), 'for this account')
  const returnAddress = () => returnAttempt(db, address, perSource)
  return {
    async forgive() {
      await forgetAttempts(db, guessed)
      await returnAddress()
    },
    async takeBack() {
      await returnAttempt(db, guessed, perAccount)
      await returnAddress()
    },
  }
}

function refuse(seconds: number, where: string): void {
  if (seconds === 0) return
  throw problem('too-many-requests', `Too many failed attempts ${where}. Try again in ${seconds} s.`, {
    headers: { 'retry-after': String(seconds) },
  })
}

/** Whoever has an IPv6 address has 2⁶⁴ of them, so the network counts. */
function network(source: string): string {
  if (!ipaddr.isValid(source)) return source
  const address = ipaddr.process(source)
  return address.kind() === 'ipv6'
    ? ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()
    : address.toString()
}
