import { z } from 'zod'

// ── verification ──

export const presetNames = [
  'standard_webhooks',
  'svix',
  'github',
  'gitlab',
  'stripe',
  'slack',
  'shopify',
  'linear',
  'twilio',
  'pagerduty',
  'sentry',
  'grafana',
  'zendesk',
  'hubspot',
  'intercom',
  'jira',
  'bitbucket',
  'discord',
  'shared_secret',
  'generic',
] as const
export type PresetName = (typeof presetNames)[number]

export const algorithms = ['hmac-sha1', 'hmac-sha256', 'hmac-sha512', 'ed25519', 'equality'] as const
export const keyEncodings = ['utf-8', 'base64', 'hex'] as const
export const signatureEncodings = ['hex', 'hex-upper', 'base64', 'base64url'] as const
export const timestampUnits = ['s', 'ms', 'iso'] as const

export const headerNameShape = z
  .string()
  .max(100)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'A header name has letters, digits and - only.')

const pointerShape = z
  .string()
  .max(200)
  .regex(/^(\/([^~/]|~[01])*)+$/, 'A JSON pointer looks like /event/id.')

/** What the operator configures. Fields beyond `preset` and `secrets` apply where the preset leaves them open. */
export const verificationSettings = z.strictObject({
  preset: z.enum(presetNames),
  algorithm: z.enum(algorithms).optional(),
  keyEncoding: z.enum(keyEncodings).optional(),
  header: headerNameShape.optional(),
  prefix: z.string().max(100).optional(),
  /** Set when the header is a list such as `t=1,v1=abc`: the key under which the signatures stand. */
  listKey: z.string().min(1).max(40).optional(),
  encoding: z.enum(signatureEncodings).optional(),
  template: z.string().min(1).max(500).optional(),
  timestampHeader: headerNameShape.optional(),
  timestampListKey: z.string().min(1).max(40).optional(),
  timestampPointer: pointerShape.optional(),
  timestampUnit: z.enum(timestampUnits).optional(),
  toleranceSeconds: z.int().min(1).max(86_400).optional(),
})
export type VerificationSettings = z.output<typeof verificationSettings>

const secretsShape = z
  .array(z.string().min(1, 'A secret cannot be empty.').max(2000))
  .min(1, 'At least one secret is needed.')
  .max(2, 'Two secrets may be live at once, not more.')
