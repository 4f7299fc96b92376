import { z } from 'zod'
import {
  channelIdShape,
  type ExternalPlatform,
  externalPlatforms,
  type PlatformName,
  platforms,
} from '../contract.ts'

/** What an operator enters to connect a platform. Secrets are sealed and never returned. */
type ConnectionFields = {
  secrets: readonly string[]
  required: readonly string[]
  optional: readonly string[]
  /** Not yet used with the real service. */
  beta?: true
  /** Messages arrive over a connection that Bellhop opens and keeps. */
  usesSocket?: true
  /** Anybody can find the bot there, write to it and add it to a group. */
  public?: true
}

export const connectionFields: Readonly<Record<ExternalPlatform, ConnectionFields>> = {
  slack: {
    // Of the last two, each connection needs one.
    secrets: ['botToken', 'signingSecret', 'appToken'],
    required: [],
    optional: ['apiUrl', 'connection'],
  },
  telegram: { secrets: ['botToken'], required: [], optional: ['apiUrl'], beta: true, public: true },
  discord: {
    secrets: ['botToken'],
    required: ['applicationId', 'publicKey'],
    optional: ['apiUrl'],
    beta: true,
    usesSocket: true,
  },
  mattermost: { secrets: ['botToken'], required: ['apiUrl'], optional: [], beta: true, usesSocket: true },
  teams: {
    secrets: ['appPassword'],
    required: ['appId'],
    // The URLs are for national clouds.
    optional: ['tenantId', 'serviceUrl', 'loginUrl', 'openIdUrl'],
    beta: true,
  },
  'google-chat': {
    secrets: ['serviceAccount'],
    required: ['projectNumber'],
    optional: ['apiUrl', 'openIdUrl'],
    beta: true,
  },
}

export const socketPlatforms = externalPlatforms.filter((platform) => connectionFields[platform].usesSocket)

export function isPublic(platform: PlatformName): boolean {
  return platform !== 'built-in' && connectionFields[platform].public === true
}

export const publicPlatforms = externalPlatforms.filter(isPublic)

/** A workspace that lacks something required is a draft. */
export function isComplete(
  platform: ExternalPlatform,
  { credentials, settings }: { credentials: object; settings: object },
): boolean {
  const { secrets, required } = connectionFields[platform]
  if (platform === 'slack') {
    const proof =
      connectionOf(platform, { credentials, settings }) === 'socket' ? 'appToken' : 'signingSecret'
    return 'botToken' in credentials && proof in credentials
  }
  return secrets.every((name) => name in credentials) && required.every((name) => name in settings)
}

/** How messages arrive: the platform calls us, or over a connection that we keep open. Slack can do both. */
export function connectionOf(
  platform: ExternalPlatform,
  { credentials, settings }: { credentials: object; settings: object },
): 'http' | 'socket' {
  if (connectionFields[platform].usesSocket) return 'socket'
  if (platform !== 'slack') return 'http'
  if ('connection' in settings) return settings.connection === 'socket' ? 'socket' : 'http'
  return 'appToken' in credentials && !('signingSecret' in credentials) ? 'socket' : 'http'
}

const secretShape = z.string().trim().min(1, 'A secret cannot be empty.').max(10_000)
/** It is sent in a header or a URL. */
const tokenShape = secretShape.regex(
  /^[\x21-\x7e]+$/,
  'A token has letters, digits and signs only, without spaces. Copy it again.',
)
const settingShape = z.string().trim().min(1).max(500)
const addressShape = z.url({ protocol: /^https?$/, error: 'Write it like https://slack.example.com/api/.' })

const fields = {
  name: z.string().trim().min(1, 'Enter a name.').max(80).optional(),
  botToken: tokenShape.nullish(),
  signingSecret: secretShape.nullish(),
  appToken: tokenShape
    .refine((token) => token.startsWith('xapp-'), 'An app-level token begins with xapp-.')
    .nullish(),
  /** Slack only: `socket` needs no public address. */
  connection: z.enum(['http', 'socket']).nullish(),
  appPassword: secretShape.nullish(),
  serviceAccount: secretShape.nullish(),
  applicationId: settingShape.nullish(),
  publicKey: z
    .string()
    .trim()
    .regex(/^[0-9a-f]{64}$/i, 'The public key has 64 hexadecimal digits.')
    .nullish(),
  appId: settingShape.nullish(),
  tenantId: z
    .guid(
      'The tenant id looks like 11111111-2222-3333-4444-555555555555. Azure calls it Directory (tenant) ID.',
    )
    .nullish(),
  projectNumber: settingShape.nullish(),
  apiUrl: addressShape.nullish(),
  serviceUrl: addressShape.nullish(),
  loginUrl: addressShape.nullish(),
  openIdUrl: addressShape.nullish(),
}

/** Without its secrets a workspace is a draft: it has its URL for events, and waits to be connected. */
export const newWorkspace = z.strictObject({ platform: z.enum(externalPlatforms), ...fields })
export const workspacePatch = z.strictObject(fields)
export type WorkspaceInput = z.output<typeof workspacePatch>

export const workspaceShape = z.object({
  id: z.string(),
  platform: z.enum(platforms),
  name: z.string(),
  /** Not yet used with the real service. */
  beta: z.boolean(),
  status: z.enum(['connected', 'draft', 'paused', 'revoked']),
  settings: z.record(z.string(), z.string()),
  /** Which secrets are set. */
  credentials: z.record(z.string(), z.object({ set: z.boolean() })),
  /** How messages arrive; null for the built-in workspace. */
  connection: z.enum(['http', 'socket']).nullable(),
  /** Slack only: what the manifest asks for and the installed app lacks. */
  missingScopes: z.array(z.string()),
  /** Where the platform sends its events; null for the built-in workspace. */
  eventsUrl: z.string().nullable(),
  lastEventAt: z.iso.datetime().nullable(),
  lastPostAt: z.iso.datetime().nullable(),
  lastError: z.string().nullable(),
  lastErrorAt: z.iso.datetime().nullable(),
  pausedUntil: z.iso.datetime().nullable(),
  /** Since when Bellhop's connection is open; null while it is not, and where the platform calls us. */
  openSince: z.iso.datetime().nullable(),
  createdAt: z.iso.datetime(),
})
export type Workspace = z.output<typeof workspaceShape>

export const testMessage = z.strictObject({ channelId: channelIdShape })
export const testMessageResult = z.object({ messageId: z.string(), permalink: z.string().nullable() })

// ── chat accounts ──

export const identityShape = z.object({
  id: z.string(),
  workspaceId: z.string(),
  externalId: z.string(),
  name: z.string(),
  userId: z.string(),
  userName: z.string(),
  linkedAt: z.iso.datetime(),
})
export const identityBody = z.strictObject({
  userId: z.string().min(1).max(100),
  name: z.string().trim().min(1).max(100).optional(),
})
export const linkCodeShape = z.object({
  code: z.string(),
  /** What to send to the agent in a direct message. */
  text: z.string(),
  expiresAt: z.iso.datetime(),
})
