import { resolve } from 'node:path'
import { z } from 'zod'
import { findMisspellings } from './app/find-misspellings.ts'
import { exceptionFault, hostPatternFault } from './platform/egress/parse-policy.ts'
import { Secret } from './platform/secret.ts'

type Environment = Readonly<Record<string, string | undefined>>

const commaList = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean),
  )
  .default([])

const cidr = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()])

/** Names each bad entry in the complaint. */
function listOf(faultOf: (entry: string) => string | null) {
  return commaList.superRefine((entries, check) => {
    for (const entry of entries) {
      const fault = faultOf(entry)
      if (fault) check.addIssue(fault)
    }
  })
}
const providers = ['anthropic', 'openai', 'google', 'openai-compatible', 'offline'] as const
const portRange = 'must be a whole number from 0 to 65535'
const port = z.coerce.number(portRange).int(portRange).min(0, portRange).max(65_535, portRange).default(3000)

/** Every variable Bellhop reads. One that starts like ours and is not listed is a misspelling. */
const shapes = {
  HOST: z.string().refine(isHost, 'must be an address or a host name, e.g. 0.0.0.0').default('127.0.0.1'),
  PORT: port,
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL, e.g. https://bellhop.example.com' })
    .refine(isPlainAddress, 'must have no user, "?" or "#": paths are put behind it')
    .refine(hasForeignPath, 'must not have api, hooks, chat, mcp or assets as its path: Bellhop has its own')
    .optional(),
  DATA_DIR: z.string().default('data'),
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error:
        'must look like postgres://user:password@host:5432/database, with @, /, # and the like in a password as %40, %2F, %23',
    })
    .refine(
      (url) => !/#|\/\/[^/]*\/[^?]*@/.test(url),
      'has a # or an @ behind its host: write @, /, # and the like in a password as %40, %2F, %23',
    )
    .optional(),
  ROLE: z.enum(['all', 'web', 'worker'], 'must be all, web or worker').default('all'),
  ENCRYPTION_KEY: commaList.refine((keys) => keys.every((key) => Buffer.from(key, 'base64').length === 32), {
    error: 'must be 32 bytes in base64; create one with: openssl rand -base64 32',
  }),
  EGRESS_ALLOWED_HOSTS: listOf(hostPatternFault),
  EGRESS_PRIVATE_EXCEPTIONS: listOf(exceptionFault),
  TRUSTED_PROXIES: listOf((entry) =>
    cidr.safeParse(entry).success ? null : `"${entry}" is neither an address nor a CIDR such as 10.0.0.0/8`,
  ),
  ADMIN_EMAIL: z.email('must be an email address').optional(),
  ADMIN_PASSWORD: z.string().min(12, 'must have 12 characters or more').optional(),
  API_KEY: z
    .string()
    .regex(/^blh_[!-~]{28,}$/, 'must start with blh_ and have 32 characters or more (ASCII, no spaces)')
    .optional(),
  MODEL_PROVIDER: z
    .enum(providers, 'must be anthropic, openai, google, openai-compatible or offline')
    .optional(),
  MODEL_NAME: z.string().optional(),
  MODEL_API_KEY: z
    .string()
    .regex(/^[ -~]*$/, 'must have ASCII characters only, without line breaks')
    .optional(),
  MODEL_BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .regex(/^[^?#]*$/, 'must have no query (?…) and no fragment (#…)')
    .optional(),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], 'must be debug, info, warn, error or silent')
    .default('info'),
  METRICS_TOKEN: z.string().optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url('must be a URL').optional(),
}
const names = Object.keys(shapes)

function isHost(host: string): boolean {
  return URL.canParse(`http://${host.includes(':') ? `[${host}]` : host}`)
}

function isPlainAddress(url: string): boolean {
  return !/[?#@]/.test(url)
}

/**
 * A proxy may strip the base path before it forwards a request or not, so the path must not look like one of ours.
 */
function hasForeignPath(url: string): boolean {
  return !/^\/(api|hooks|chat|mcp|assets)(\/|$)/.test(URL.parse(url)?.pathname ?? '')
}

type ModelSettings = {
  provider: (typeof providers)[number]
  name: string
  apiKey: Secret | null
  baseUrl: string | null
}

export type Config = Readonly<{
  host: string
  port: number
  publicUrl: string | null
  dataDir: string
  databaseUrl: Secret | null
  role: 'all' | 'web' | 'worker'
  encryptionKeys: readonly Secret[]
  egressAllowedHosts: readonly string[]
  egressPrivateExceptions: readonly string[]
  trustedProxies: readonly string[]
  admin: Readonly<{ email: string; password: Secret }> | null
  apiKey: Secret | null
  model: Readonly<ModelSettings> | null
  logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  metricsToken: Secret | null
  otlpEndpoint: string | null
}>

export class ConfigError extends Error {
  readonly complaints: readonly string[]

  constructor(complaints: readonly string[]) {
    super(
      `The configuration has ${complaints.length === 1 ? 'a fault' : `${complaints.length} faults`}:\n  - ${complaints.join('\n  - ')}`,
    )
    this.name = 'ConfigError'
    this.complaints = complaints
  }
}

/** The only reader of the environment. Reports all faults at once; the result is frozen. */
export function readConfig(environment: Environment = process.env): Config {
  const written = names.map((name) => [name, environment[name]?.trim() ?? ''] as const)
  const given = Object.fromEntries(
    written.map(([name, text]) => [name, (unquote(text) ?? text) || undefined]),
  )
  const parsed = z.object(shapes).safeParse(given)
  const complaints = [
    ...findMisspellings(names, environment),
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}`),
    ...written.flatMap(([name, text]) => (unquote(text) === undefined ? [] : `${name} ${quoted}`)),
    ...contradictions(given),
    ...proxyComplaints(environment),
  ]
  if (!parsed.success || complaints.length > 0) throw new ConfigError(complaints)
  const env = parsed.data
  return freezeWhole({
    host: env.HOST,
    port: env.PORT,
    publicUrl: env.PUBLIC_URL ? new URL(env.PUBLIC_URL).href.replace(/\/+$/, '') : null,
    dataDir: resolve(env.DATA_DIR),
    databaseUrl: secret(env.DATABASE_URL),
    role: env.ROLE,
    encryptionKeys: env.ENCRYPTION_KEY.map((key) => new Secret(key)),
    egressAllowedHosts: env.EGRESS_ALLOWED_HOSTS,
    egressPrivateExceptions: env.EGRESS_PRIVATE_EXCEPTIONS,
    trustedProxies: env.TRUSTED_PROXIES,
    admin:
      env.ADMIN_EMAIL && env.ADMIN_PASSWORD
        ? { email: env.ADMIN_EMAIL, password: new Secret(env.ADMIN_PASSWORD) }
        : null,
    apiKey: secret(env.API_KEY),
    model: env.MODEL_PROVIDER
      ? {
          provider: env.MODEL_PROVIDER,
          name: env.MODEL_NAME ?? '',
          apiKey: secret(env.MODEL_API_KEY),
          baseUrl: env.MODEL_BASE_URL ?? null,
        }
      : null,
    logLevel: env.LOG_LEVEL,
    metricsToken: secret(env.METRICS_TOKEN),
    otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
  })
}

const quoted =
  'has quotation marks around its value, which would be a part of it: remove them (docker --env-file keeps them, unlike a shell)'

/** What stands between a pair of quotation marks. */
function unquote(text: string): string | undefined {
  return /^(["'])(.*)\1$/s.exec(text)?.[2]
}

/** Freezes nested values too, so that nobody can add to a list in the settings. */
function freezeWhole<T extends object>(settings: T): T {
  for (const value of Object.values(settings)) if (value && typeof value === 'object') freezeWhole(value)
  return Object.freeze(settings)
}

function secret(value: string | undefined): Secret | null {
  return value === undefined ? null : new Secret(value)
}

/** Faults that only show when variables are seen together. */
function contradictions(given: Record<string, string | undefined>): string[] {
  const complaints: string[] = []
  if (Boolean(given.ADMIN_EMAIL) !== Boolean(given.ADMIN_PASSWORD)) {
    complaints.push('ADMIN_EMAIL and ADMIN_PASSWORD belong together: set both or neither')
  }
  if (given.DATABASE_URL && !given.ENCRYPTION_KEY) {
    complaints.push(
      'ENCRYPTION_KEY is missing: with DATABASE_URL all replicas must share one. Create one with: openssl rand -base64 32',
    )
  }
  if (given.ROLE && given.ROLE !== 'all' && !given.DATABASE_URL) {
    complaints.push(`ROLE=${given.ROLE} needs DATABASE_URL: the embedded database serves one process`)
  }
  if (given.MODEL_PROVIDER && given.MODEL_PROVIDER !== 'offline' && !given.MODEL_NAME) {
    complaints.push('MODEL_NAME is missing: set the model that MODEL_PROVIDER should use')
  }
  if (given.MODEL_PROVIDER === 'openai-compatible' && !given.MODEL_BASE_URL) {
    complaints.push('MODEL_BASE_URL is missing: MODEL_PROVIDER=openai-compatible needs it')
  }
  if (!given.MODEL_PROVIDER && (given.MODEL_NAME || given.MODEL_API_KEY || given.MODEL_BASE_URL)) {
    complaints.push(
      'MODEL_PROVIDER is missing: MODEL_NAME, MODEL_API_KEY and MODEL_BASE_URL do nothing without it',
    )
  }
  return complaints
}

/** Node would send guarded requests through that proxy, which would connect to an address that we did not check. */
function proxyComplaints(environment: Environment): string[] {
  const on = environment.NODE_USE_ENV_PROXY === '1' || environment.NODE_OPTIONS?.includes('--use-env-proxy')
  return on ? ['NODE_USE_ENV_PROXY must be unset: requests of the agent would bypass the address checks'] : []
}

/** For declaration files that refer to variables, so that they need not contain secrets. */
export function readVariable(name: string): string | undefined {
  return process.env[name]
}

/** The address people and senders use, as far as it is known before listening. */
export function publicUrlOf({ publicUrl, host, port }: Config): string {
  const reachable = host === '127.0.0.1' || host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return publicUrl ?? `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

/** For `doctor` and the start-up line: the choices, with secrets as `configured`. */
export function describeConfig(config: Config): Record<string, unknown> {
  const shown = (value: unknown): unknown => {
    if (value instanceof Secret) return 'configured'
    if (Array.isArray(value))
      return value.some((item) => item instanceof Secret) ? `${value.length} configured` : value
    return value && typeof value === 'object' ? shownFields(value) : value
  }
  const shownFields = (fields: object): Record<string, unknown> =>
    Object.fromEntries(Object.entries(fields).map(([key, inner]) => [key, shown(inner)]))
  return shownFields(config)
}
