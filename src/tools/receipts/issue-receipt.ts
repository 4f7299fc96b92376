import { createHash, randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Vault } from '../../platform/crypto/vault.ts'
import type { Db } from '../../platform/db/database.ts'
import type { ApprovalId } from '../../shared/ids.ts'
import { signMessage } from './sign-message.ts'
import { readSigningKey } from './signing-keys.ts'
import { saveReceipt } from './store.ts'

export type ReceiptContext = { db: Db; vault: Vault; publicUrl: string; now: () => Date }

type Person = { kind: string; id: string; name: string }

/** What a receipt says, in the order in which a person would ask. */
export type ReceiptFacts = {
  approval: ApprovalId
  run: string
  call: string
  tool: string
  /** Of the request that people saw. */
  digest: string
  /** Who or what made the agent ask. */
  cause: Person
  decidedBy: Person[]
  decidedAt: string | null
}

type Sent = { method: string; url: string; body: string | null }

export const receiptType = 'bellhop-approval+jwt'
const receiptSeconds = 60
export const signatureLabel = 'bellhop'
export const coveredComponents = ['@method', '@target-uri', 'content-digest', 'bellhop-approval'] as const

/**
 * The headers that prove to a target what was approved, over exactly what is sent. The receipt is stored before the first byte leaves:
 * nobody can hold one that we do not know.
 */
export async function issueReceipt(
  ctx: ReceiptContext,
  facts: ReceiptFacts,
  sent: Sent,
): Promise<Record<string, string>> {
  const key = await readSigningKey(ctx)
  const issuedAt = ctx.now()
  const created = Math.floor(issuedAt.getTime() / 1000)
  const expires = created + receiptSeconds
  const nonce = randomUUID()
  const contentDigest = contentDigestOf(sent.body ?? '')
  const receipt = await new SignJWT({ ...facts, contentDigest })
    .setProtectedHeader({ alg: 'EdDSA', typ: receiptType, kid: key.id })
    .setIssuer(ctx.publicUrl)
    .setIssuedAt(created)
    .setExpirationTime(expires)
    .setJti(nonce)
    .sign(key.privateKey)
  const signed = signMessage(
    [
      ['@method', sent.method],
      ['@target-uri', targetUri(sent.url)],
      ['content-digest', contentDigest],
      ['bellhop-approval', receipt],
    ],
    { created, expires, nonce, keyid: key.id, alg: 'ed25519', tag: 'bellhop-approval' },
    key.privateKey,
    signatureLabel,
  )
  await saveReceipt(ctx.db, facts.approval, { keyId: key.id, receipt, issuedAt })
  return { 'Content-Digest': contentDigest, 'Bellhop-Approval': receipt, ...signed }
}

/** RFC 9530. No content has a digest too. */
export function contentDigestOf(content: string | Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(content).digest('base64')}:`
}

/** As it is sent: no fragment. */
export function targetUri(url: string): string {
  const { origin, pathname, search } = new URL(url)
  return `${origin}${pathname}${search}`
}
