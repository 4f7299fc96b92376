import { z } from 'zod'

export const authTypes = ['none', 'bearer', 'api_key', 'basic', 'query', 'oauth', 'oauth_client'] as const
export type AuthType = (typeof authTypes)[number]

const headerName = z.string().min(1).max(128)
/** A sealed value reads as `{"set":true}`; sent back, it means "leave it as it is". */
const unchangedSecret = z.strictObject({ set: z.boolean() })
const headerValue = z.union([
  z.string().max(8192),
  z.strictObject({ value: z.string().max(8192), secret: z.boolean().optional() }),
  unchangedSecret,
])
export type HeaderInput = z.output<typeof headerValue>

/** Nobody needs more, and each is compared with all others. */
export const maxHeaders = 100
const fewHeaders = (headers: object | null) => headers === null || Object.keys(headers).length <= maxHeaders
const tooManyHeaders = `Use ${maxHeaders} default headers at most.`

const authType = z.enum(authTypes, `Use one of ${authTypes.join(', ')}.`)
/** The header of `api_key`, or the query parameter of `query`. */
const authName = headerName.nullable().optional()
const authValue = z
  .union([z.string().min(1).max(8192), unchangedSecret])
  .nullable()
  .optional()

const httpUrl = z
  .string()
  .max(2048)
  .refine((value) => URL.canParse(value) && /^https?:/.test(value), 'Write a complete URL, with https://.')

const tokenAuth = z.enum(['auto', 'basic', 'post', 'none'], 'Use one of auto, basic, post, none.')
const scope = z.string().regex(/^[!#-[\]-~]{1,1000}$/, 'A scope has no spaces and no quotation marks.')

/**
 * What OAuth needs. Whatever is absent is discovered from the server, or from `issuer` (RFC 9728, RFC 8414). In a merge patch,
 * absent fields stay and `null` clears.
 */
export const oauthInput = z.strictObject({
  /** The authorization server. */
  issuer: httpUrl.nullish(),
  authorizationUrl: httpUrl.nullish(),
  tokenUrl: httpUrl.nullish(),
  revocationUrl: httpUrl.nullish(),
  /** Of an app that was registered by hand; without it, Bellhop registers itself where it may. */
  clientId: z.string().min(1).max(2048).nullish(),
  clientSecret: z.union([z.string().min(1).max(8192), unchangedSecret]).nullish(),
  /** How the client secret is sent: `auto` asks the server. */
  tokenAuth: tokenAuth.nullish(),
  scopes: z.array(scope).max(100).nullish(),
  /** The resource indicator (RFC 8707). */
  resource: httpUrl.nullish(),
  /** For the authorization URL, such as `{"access_type":"offline"}`. */
  extraParams: z.record(z.string().min(1).max(128), z.string().max(2048)).nullish(),
})
export type OauthInput = z.output<typeof oauthInput>

/** How both types of connector authenticate. */
export const authFields = {
  defaultHeaders: z.record(headerName, headerValue).refine(fewHeaders, tooManyHeaders).default({}),
  authType: authType.default('none'),
  authName,
  authValue,
  oauth: oauthInput.nullish(),
}

/** The same in a merge patch (RFC 7396): absent fields stay, `null` clears. */
export const authPatchFields = {
  defaultHeaders: z
    .record(headerName, headerValue.nullable())
    .nullable()
    .refine(fewHeaders, tooManyHeaders)
    .optional(),
  authType: authType.nullable().optional(),
  authName,
  authValue,
  oauth: oauthInput.nullish(),
}

const secretState = z.object({ set: z.boolean() })

/** As they are shown: a sealed value reads as `{"set":true}`. */
export const shownAuthFields = {
  defaultHeaders: z.record(z.string(), z.union([z.string(), secretState])),
  authType: z.enum(authTypes),
  authName: z.string().nullable(),
  authValue: secretState,
  /** Null unless the auth type is `oauth` or `oauth_client`. */
  oauth: z
    .object({
      issuer: z.string().nullable(),
      authorizationUrl: z.string().nullable(),
      tokenUrl: z.string().nullable(),
      revocationUrl: z.string().nullable(),
      clientId: z.string().nullable(),
      clientSecret: secretState,
      tokenAuth,
      scopes: z.array(z.string()),
      resource: z.string().nullable(),
      extraParams: z.record(z.string(), z.string()),
    })
    .nullable(),
  /** What was granted. Null unless the auth type is `oauth` or `oauth_client`. */
  grant: z
    .object({
      /** `none`: nobody has signed in yet. `reconnect`: it has ended, and an admin must sign in again. */
      state: z.enum(['none', 'connected', 'reconnect']),
      /** Whom the agent acts as, if the server says so. */
      account: z.string().nullable(),
      scopes: z.array(z.string()),
      /** When the current token ends; null if the server does not say. */
      expiresAt: z.string().nullable(),
      /** Whether Bellhop renews it by itself. */
      canRefresh: z.boolean(),
      issuer: z.string().nullable(),
      /** How Bellhop became a client there. */
      registration: z.enum(['given', 'cimd', 'dcr']).nullable(),
      connectedBy: z.string().nullable(),
      connectedAt: z.string().nullable(),
      lastError: z.string().nullable(),
    })
    .nullable(),
}

/** What signing in would do. Shown before anybody leaves for the authorization server. */
export const oauthPlanShape = z.object({
  /** Where people sign in. */
  issuer: z.string(),
  signInAt: z.string(),
  scopes: z.array(z.string()),
  resource: z.string().nullable(),
  /** `manual`: register an app there by hand, with the callback URL, and enter its client id. */
  registration: z.enum(['given', 'cimd', 'dcr', 'manual']),
  callbackUrl: z.string(),
  /** What is granted now comes from another authorization server. */
  changed: z.boolean(),
})

export const startOauthShape = z
  .strictObject({
    /** The issuer that the plan showed: if another one is found now, nobody is sent there. */
    issuer: z.string().max(2048).optional(),
  })
  .prefault({})

export const startedOauthShape = z.object({ authorizationUrl: z.string() })
