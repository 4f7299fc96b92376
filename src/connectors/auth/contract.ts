import { z } from 'zod'

export const authTypes = ['none', 'bearer', 'api_key', 'basic', 'query'] as const
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

/** How both types of connector authenticate. */
export const authFields = {
  defaultHeaders: z.record(headerName, headerValue).refine(fewHeaders, tooManyHeaders).default({}),
  authType: authType.default('none'),
  authName,
  authValue,
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
}

const secretState = z.object({ set: z.boolean() })

/** As they are shown: a sealed value reads as `{"set":true}`. */
export const shownAuthFields = {
  defaultHeaders: z.record(z.string(), z.union([z.string(), secretState])),
  authType: z.enum(authTypes),
  authName: z.string().nullable(),
  authValue: secretState,
}
