import { z } from 'zod'
import { searchedPageOf } from '../http/paging.ts'
import { invisibleCharacters } from '../platform/invisible-characters.ts'

const time = z.iso.datetime()

export const roleShape = z.enum(['member', 'operator', 'admin'], 'Use member, operator or admin.')
/** At an end there is nothing to join. */
const looseJoiners = /^[\ufe0f\s\u200c\u200d]+|[\s\u200c\u200d]+$/g
/** On one line and without hidden characters: people choose their own name, and it must not pass for another or turn the text around it. */
export const nameShape = z
  .string()
  .overwrite((name) =>
    name
      .replaceAll(invisibleCharacters, '')
      .replaceAll(/[\s\p{Cc}\p{Cs}]+/gu, ' ')
      .replaceAll(looseJoiners, ''),
  )
  .min(1, 'Enter a name.')
  .max(100, 'Use 100 characters or less.')
export const emailShape = z
  .string()
  .trim()
  .max(254, 'Use 254 characters or less.')
  .pipe(z.email('Enter an email address.'))
/** For choosing a password. One that is only checked may have any length. */
const passwordShape = z.string().min(12, 'Use 12 characters or more.').max(256, 'Use 256 characters or less.')
const givenPassword = z.string().max(1024)
const tokenShape = z.string().max(200)
const codeShape = z.string().trim().min(1).max(40)

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(tag).length > 0
  } catch {
    // Not even the form of a tag.
    return false
  }
}

// ── the current user, sign-in ──
export const meShape = z.object({
  kind: z.enum(['user', 'api-key']),
  id: z.string(),
  name: z.string(),
  role: roleShape,
  /** Null for an API key. */
  email: z.string().nullable(),
  /** False for people who sign in only through the provider. */
  hasPassword: z.boolean(),
  /** True when sign-in asks for a code. */
  totp: z.boolean(),
  /** The language in which the dashboard writes dates and numbers, such as `de-DE`; null: `en-US`. */
  locale: z.string().nullable(),
})
export type Me = z.infer<typeof meShape>

/** `oidc` is the name of the provider through which people may also sign in. */
export const setupStateShape = z.object({ needed: z.boolean(), oidc: z.string().nullable() })
export const setupBody = z.strictObject({
  token: tokenShape,
  email: emailShape,
  name: nameShape,
  password: passwordShape,
})
export const signInBody = z.strictObject({
  email: z.string().trim().max(254),
  password: givenPassword,
  /** From the authenticator app, or a recovery code. */
  code: codeShape.optional(),
})
export const changeMeBody = z
  .strictObject({
    name: nameShape.optional(),
    password: passwordShape.optional(),
    currentPassword: givenPassword.optional(),
    locale: z
      .string()
      .max(35)
      .refine(isLanguageTag, 'Use a language tag such as en-US or de-DE.')
      .nullable()
      .optional(),
  })
  .refine((body) => body.password === undefined || body.currentPassword !== undefined, {
    path: ['currentPassword'],
    error: 'Enter your current password.',
  })

/** What everybody may know of somebody who can sign in. */
export const personShape = z.object({ id: z.string(), name: z.string() })

// ── second factor ──
export const totpEnrolBody = z.strictObject({ password: givenPassword })
export const totpSecretShape = z.object({ secret: z.string(), url: z.string() })
export const totpConfirmBody = z.strictObject({ code: codeShape })
export const recoveryCodesShape = z.object({ recoveryCodes: z.array(z.string()) })

// ── sessions ──
export const sessionShape = z.object({
  id: z.string(),
  userId: z.string(),
  userAgent: z.string().nullable(),
  source: z.string(),
  createdAt: time,
  lastUsedAt: time,
  /** The session that asks. */
  current: z.boolean(),
})
export type Session = z.infer<typeof sessionShape>

// ── saved views ──
const listName = z.string().min(1).max(40)
const viewFields = {
  /** What the dashboard calls the list, such as `Runs`. */
  list: listName,
  name: z.string().trim().min(1, 'Enter a name.').max(40, 'Use 40 characters or less.'),
  /** Filters and order, as in the address of the page. */
  query: z.string().max(2000, 'Use 2,000 characters or less.'),
  /** The columns that are shown or hidden otherwise than usual. */
  columns: z.array(z.string().max(40)).max(40),
}
export const viewQuery = z.object({ list: listName.optional() })
export const viewBody = z.strictObject(viewFields)
export const viewShape = z.object({ ...viewFields, id: z.string() })
export type View = z.infer<typeof viewShape>

// ── users and their links ──
export const userShape = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  role: roleShape,
  status: z.enum(['invited', 'active', 'disabled']),
  totp: z.boolean(),
  /** How many working API keys they have made. */
  apiKeys: z.number(),
  createdAt: time,
  lastSeenAt: time.nullable(),
})
export type User = z.infer<typeof userShape>

export const createUserBody = z.strictObject({ email: emailShape, name: nameShape, role: roleShape })
export const changeUserBody = z.strictObject({
  email: emailShape.optional(),
  name: nameShape.optional(),
  role: roleShape.optional(),
  disabled: z.boolean().optional(),
})
export const linkShape = z.object({ url: z.string(), expiresAt: time })
export const invitedUserShape = userShape.extend({ link: linkShape })

export const inspectLinkBody = z.strictObject({ token: tokenShape })
export const linkFactsShape = z.object({
  kind: z.enum(['invitation', 'password-reset']),
  email: z.string(),
  name: z.string(),
  role: roleShape,
  /** Who made the link; null if it was made on the server. */
  createdBy: z.string().nullable(),
  expiresAt: time,
})
export const acceptLinkBody = z.strictObject({
  token: tokenShape,
  password: passwordShape,
  name: nameShape.optional(),
})
/** `signedIn` is false when a second factor is still needed. */
export const acceptedLinkShape = z.object({ email: z.string(), signedIn: z.boolean() })

// ── groups ──
const groupFields = {
  name: nameShape,
  /** Of people who are always in the group. */
  userIds: z.array(z.templateLiteral(['usr_', z.string().max(60)])).max(500),
  /** The id of a user group in Slack, whose members are read when somebody decides. */
  slackUserGroup: z
    .string()
    .trim()
    .regex(/^S[A-Z0-9]{2,30}$/, 'Use the id of a user group in Slack, for example S0614TZR7.')
    .nullable(),
  /** Who has this claim at the OpenID provider is in the group from their next sign-in. */
  oidcClaim: z
    .string()
    .trim()
    .max(200, 'Use 200 characters or less.')
    .regex(/^[^=\s]+=[^\p{Cc}]+$/u, 'Write name=value, for example groups=sre.')
    .nullable(),
}
export const groupShape = z.object({
  ...groupFields,
  id: z.string(),
  userIds: z.array(z.string()),
  /** Of people who had the claim at their last sign-in. */
  claimUserIds: z.array(z.string()),
  createdAt: time,
  updatedAt: time,
})
export type Group = z.infer<typeof groupShape>
export const newGroupBody = z.strictObject({
  name: groupFields.name,
  userIds: groupFields.userIds.default([]),
  slackUserGroup: groupFields.slackUserGroup.default(null),
  oidcClaim: groupFields.oidcClaim.default(null),
})
export type NewGroup = z.output<typeof newGroupBody>
export const groupPatchBody = z.strictObject(groupFields).partial()
export type GroupPatch = z.output<typeof groupPatchBody>

// ── API keys ──
export const apiKeyShape = z.object({
  id: z.string(),
  name: z.string(),
  role: roleShape,
  /** How the key begins. */
  start: z.string(),
  createdBy: z.string(),
  /** The maker may not make keys any more: no longer an admin, disabled or removed. The key still works, and they may still have it. */
  makerGone: z.boolean(),
  createdAt: time,
  lastUsedAt: time.nullable(),
})
export type ApiKey = z.infer<typeof apiKeyShape>
export const createApiKeyBody = z.strictObject({ name: nameShape, role: roleShape })
export const changeApiKeyBody = z.strictObject({ name: nameShape.optional(), role: roleShape.optional() })
/** The only answer that contains the whole key. */
export const createdApiKeyShape = apiKeyShape.extend({ key: z.string() })

// ── OpenID Connect ──
const oidcFields = {
  /** What the button on the sign-in page says. */
  name: nameShape,
  issuer: z.url({
    protocol: /^https?$/,
    error: 'Enter the URL of the provider, for example https://id.example.com.',
  }),
  clientId: z.string().trim().min(1, 'Enter the client ID.').max(300),
  /** The role of people who sign in without an invitation; null admits invited people only. */
  newUsersRole: z.enum(['member', 'operator'], 'Use member, operator or null.').nullable(),
}
export const oidcProviderShape = z.object({ ...oidcFields, clientSecret: z.object({ set: z.literal(true) }) })
export type OidcProvider = z.infer<typeof oidcProviderShape>
export const oidcStateShape = z.object({ provider: oidcProviderShape.nullable(), redirectUri: z.string() })
/** Without a secret the stored one is kept. */
export const configureOidcBody = z.strictObject({
  ...oidcFields,
  clientSecret: z.string().min(1).max(1000).optional(),
})

// ── audit log ──
const auditEntryShape = z.object({
  id: z.string(),
  at: time,
  actor: z.object({ kind: z.string(), id: z.string(), name: z.string() }),
  action: z.string(),
  subject: z.string().nullable(),
  /** Its name at that time; null if it has none. */
  subjectName: z.string().nullable(),
  source: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()).nullable(),
  /** What a decided approval sends, such as `POST /orders/1001/refund`; null for anything else, and once it is erased. */
  request: z.string().nullable(),
  /** The whole entry in words, such as "Kim approved Shop · refund (POST /orders/1001/refund)". */
  sentence: z.string(),
})
/** By whom and by what the log can be filtered. */
export const auditFilters = z.object({
  actors: z.array(z.object({ id: z.string(), name: z.string() })),
  actions: z.array(z.string()),
})
export type AuditFilters = z.infer<typeof auditFilters>
export const auditPage = searchedPageOf(auditEntryShape)
/** Whether the audit log is as it was written. */
export const auditVerificationShape = z.object({
  ok: z.boolean(),
  /** How many entries the chain has; those of the last second are written and not yet linked. */
  entries: z.number(),
  unsealed: z.number(),
  /** How many of its oldest entries were deleted for their age. */
  deletedForAge: z.number(),
  /** What was edited, removed or inserted, in words. */
  faults: z.array(z.string()),
  moreFaults: z.number(),
})
export type AuditVerification = z.infer<typeof auditVerificationShape>
export type AuditRecord = z.infer<typeof auditEntryShape>
