import { sql } from 'kysely'
import { openStore, type Store } from '../app/open-store.ts'
import { sealedColumns } from '../app/sealed-columns.ts'
import { type Config, describeConfig, publicUrlOf, readConfig } from '../config.ts'
import { listGrantStates } from '../connectors/oauth/grant-store.ts'
import { minFreeBytes } from '../events/inbox/backlog.ts'
import { explainLostSeals, listLostSeals } from '../platform/crypto/list-lost-seals.ts'
import { checkNotifications } from '../platform/db/check-notifications.ts'
import { warnOfFewConnections } from '../platform/db/check-server.ts'
import { hasCluster } from '../platform/db/embedded/place-cluster.ts'
import { openNotifications } from '../platform/db/notifications.ts'
import { readBackupMark } from '../platform/files/backup-mark.ts'
import { freeBytes } from '../platform/files/free-bytes.ts'
import { isLoopback } from '../platform/http-server/is-loopback.ts'
import { createLog } from '../platform/log.ts'
import { summarizeSchedules } from '../schedules/summarize-schedules.ts'
import { readSettings } from '../settings/open-settings.ts'
import { modelLabel } from '../shared/wording/model-label.ts'
import { listReplicas } from '../status/replicas.ts'
import { explainFailure } from './explain-failure.ts'

/** One check: `run` returns a sentence if all is well, and otherwise throws an error that says what to do. */
type Check = { name: string; run: () => Promise<string> }

export async function doctor(): Promise<number> {
  const config = readConfig()
  print('Configuration')
  for (const [name, value] of Object.entries(describeConfig(config))) {
    const isUnset = value === null || (Array.isArray(value) && value.length === 0)
    const shown = typeof value === 'string' ? value : JSON.stringify(value)
    print(`  ${name.padEnd(24)} ${isUnset ? 'not set' : shown}`)
  }
  for (const exception of config.egressPrivateExceptions) {
    print(`  exception                the agent may call ${exception} although it is private`)
  }
  print('\nChecks')
  await using stack = new AsyncDisposableStack()
  let store: Store | undefined
  const ofStore = (name: string, describe: (store: Store) => Promise<string>): Check => ({
    name,
    async run() {
      if (!store) throw new Error('Cannot be checked without the database.')
      return await describe(store)
    },
  })
  const all: Check[] = [
    {
      name: 'database',
      run: async () => {
        const log = await createLog({ level: 'silent', pretty: false })
        store = stack.use(await openStore(config, log, { beside: true }))
        if (config.databaseUrl) await checkConnections(store)
        return await describeDatabase(store)
      },
    },
    ofStore('encryption key', describeKey),
    ofStore('agent', (opened) => describeAgent(opened, config.dataDir)),
    ofStore('capacity', describeCapacity),
    ofStore('model', (opened) => describeModel(opened, config)),
    ofStore('schedules', ({ database }) => summarizeSchedules(database.db)),
    ofStore('access', describeGrants),
    { name: 'disk', run: () => describeDisk(config, store?.databaseFolder ?? config.dataDir) },
  ]
  const isNew = !config.databaseUrl && !(await hasCluster(config.dataDir))
  const none: Check = {
    name: 'database',
    run: async () => `there is none in ${config.dataDir} yet; the first start creates it`,
  }
  const address: Check = { name: 'address', run: () => describeAddress(config) }
  const checks = [...(isNew ? [none] : all), address]
  let faults = 0
  for (const { name, run } of checks) {
    try {
      print(`  fine   ${name}: ${await run()}`)
    } catch (error) {
      faults++
      print(`  WRONG  ${name}: ${explainFailure(error)}`)
    }
  }
  print(faults === 0 ? '\nAll is well.' : `\n${faults === 1 ? 'One check' : `${faults} checks`} failed.`)
  return faults === 0 ? 0 : 1
}

async function checkConnections({ database }: Store): Promise<void> {
  const few = await warnOfFewConnections(database)
  if (few) throw new Error(few)
  const { db, connection } = database
  await using notifications = await openNotifications({ connection, onError: () => undefined })
  await checkNotifications({ db, notifications })
}

async function describeDatabase({ database: { db } }: Store): Promise<string> {
  const { rows } = await sql<{ version: string; migrations: string; size: string }>`
    select current_setting('server_version') as version,
      (select count(*) from schema_migrations) as migrations,
      pg_size_pretty(pg_database_size(current_database())) as size`.execute(db)
  const [row] = rows
  return `PostgreSQL ${row?.version}, ${row?.migrations} migrations, ${row?.size}`
}

async function describeKey({ database, vault }: Store): Promise<string> {
  const lost = await listLostSeals(database.db, vault, sealedColumns)
  if (lost.length > 0) throw new Error(lost.map(explainLostSeals).join(' '))
  return `key ${vault.keyId} opens what this database holds`
}

async function describeAgent({ database: { db }, databaseFolder }: Store, dataDir: string): Promise<string> {
  const { agent } = await readSettings(db)
  const madeAt = databaseFolder === null ? null : await readBackupMark(dataDir)
  if (madeAt) return `the first start on this backup of ${madeAt} pauses it`
  if (agent.pauseReason) throw new Error(agent.pauseReason)
  return agent.paused ? 'paused by an admin: events are kept, and no run starts' : 'running'
}

async function describeCapacity({ database: { db } }: Store): Promise<string> {
  const [{ limits }, replicas] = await Promise.all([readSettings(db), listReplicas(db)])
  const workers = replicas.filter(({ role }) => role !== 'web').length
  return `${limits.activeRuns} runs of events and ${limits.chatRuns} of chat messages at once per worker process (Settings → Limits); worker processes now: ${workers}`
}

async function describeModel({ database: { db } }: Store, { model: ofEnvironment }: Config): Promise<string> {
  const { model, fallbackModel } = await readSettings(db)
  const first = model ?? ofEnvironment ?? { provider: 'offline', name: '' }
  const fallback = fallbackModel
    ? `if it does not answer, ${modelLabel(fallbackModel.provider, fallbackModel.name)}`
    : 'no fallback (Settings → Model)'
  return `${modelLabel(first.provider, first.name)}; ${fallback}`
}

/** What authorization servers have granted to connectors. */
async function describeGrants({ database: { db } }: Store): Promise<string> {
  const rows = await listGrantStates(db)
  const ended = rows.filter(({ state }) => state === 'reconnect').map(({ name }) => name)
  if (ended.length > 0)
    throw new Error(
      `The access of ${ended.join(', ')} has ended. An admin must reconnect: Connectors → Reconnect.`,
    )
  const words = rows.map(({ name, state, account }) =>
    state === 'connected' ? `${name}${account ? ` as ${account}` : ''}` : `${name} (nobody has signed in)`,
  )
  return words.length === 0 ? 'no connector uses OAuth' : words.join(', ')
}

async function describeDisk({ databaseUrl }: Config, folder: string): Promise<string> {
  if (databaseUrl) return 'the database is external'
  const free = await freeBytes(folder)
  const words = `${(free / 1024 ** 3).toFixed(1)} GiB free at ${folder}`
  if (free < minFreeBytes) throw new Error(`${words}. Below 1 GiB webhooks answer 503: free some space.`)
  return words
}

async function describeAddress(config: Config): Promise<string> {
  const { publicUrl, trustedProxies } = config
  if (!publicUrl) return `${publicUrlOf(config)}, for this machine; set PUBLIC_URL for senders elsewhere`
  if (publicUrl.startsWith('http:') && !isLoopback(new URL(publicUrl))) {
    throw new Error(
      `${publicUrl} is not https: passwords and webhook tokens travel in clear. Put a TLS proxy in front.`,
    )
  }
  // We do not speak TLS ourselves.
  if (publicUrl.startsWith('https:') && trustedProxies.length === 0) {
    return `${publicUrl}; every request seems to come from the proxy, so everybody shares one limit of failed sign-ins: set TRUSTED_PROXIES`
  }
  return publicUrl
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
