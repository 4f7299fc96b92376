import type { Db } from '../../platform/db/database.ts'
import type { UserId } from '../../shared/ids.ts'
import { listClaims, saveClaimed } from '../store/groups.ts'

/** At each sign-in through the provider: what it says about a person now replaces what it said before. */
export async function joinByClaims(tx: Db, userId: UserId, claims: object): Promise<void> {
  const groups = await listClaims(tx)
  const joined = groups.filter(({ oidcClaim }) => hasClaim(claims, oidcClaim))
  await saveClaimed(
    tx,
    userId,
    joined.map(({ id }) => id),
  )
}

/** Whether the claims say something about every group that people join by claim. */
export async function namesAllClaims(db: Db, claims: object): Promise<boolean> {
  return (await listClaims(db)).every(({ oidcClaim }) => Object.hasOwn(claims, nameOf(oidcClaim)))
}

function nameOf(claim: string): string {
  return claim.slice(0, claim.indexOf('='))
}

/** `groups=sre`: a claim of this name is this value, or a list with it. */
function hasClaim(claims: object, wanted: string): boolean {
  const name = nameOf(wanted)
  const found: unknown = Object.entries(claims).find(([claim]) => claim === name)?.[1]
  return [found].flat().some((value) => `${name}=${value}` === wanted)
}
