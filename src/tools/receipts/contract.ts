import { z } from 'zod'

const who = z.object({ kind: z.string(), id: z.string(), name: z.string() })

/** RFC 7517: an Ed25519 key without its private part. */
const publicKeyShape = z.looseObject({ kid: z.string(), kty: z.string(), crv: z.string(), x: z.string() })

export const receiptShape = z.object({
  approvalId: z.string(),
  /** The JWS that the target was sent in `Bellhop-Approval`. */
  receipt: z.string(),
  /** What the receipt says, readable. */
  claims: z.looseObject({
    iss: z.string(),
    approval: z.string(),
    run: z.string(),
    call: z.string(),
    tool: z.string(),
    digest: z.string(),
    contentDigest: z.string(),
    cause: who,
    decidedBy: z.array(who),
    iat: z.number(),
    exp: z.number(),
    jti: z.string(),
  }),
  /** The key that signed the receipt, also long after it has been replaced. */
  key: publicKeyShape,
  issuedAt: z.iso.datetime(),
})

export const signingKeysShape = z.object({
  /** Where targets get the keys. */
  jwksUrl: z.string(),
  keys: z.array(
    z.object({
      id: z.string(),
      createdAt: z.iso.datetime(),
      /** Null for the key that signs. */
      retiredAt: z.iso.datetime().nullable(),
      /** Whether targets still get it. */
      isPublished: z.boolean(),
    }),
  ),
})
