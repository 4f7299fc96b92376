import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { recordAudit } from '../accounts/audit-log/record-audit.ts'
import { type Config, publicUrlOf } from '../config.ts'
import { openConditions } from '../platform/conditions/open-conditions.ts'
import { checkNotifications } from '../platform/db/check-notifications.ts'
import { openNotifications } from '../platform/db/notifications.ts'
import { openEgress } from '../platform/egress/open-egress.ts'
import { createSourceAddress } from '../platform/http-server/source-address.ts'
import { openTracing } from '../platform/tracing.ts'
import { systemActor } from '../shared/actor.ts'
import { newId } from '../shared/ids.ts'
import type { Foundations } from './app-context.ts'
import { createMetrics } from './create-metrics.ts'
import { openStore } from './open-store.ts'

/** Opens the store, the ways in and out, and what observes them; the stack closes it all. */
export async function openFoundations(
  config: Config,
  { log: ownLog, now, faults }: Pick<Foundations, 'log' | 'now' | 'faults'>,
  stack: AsyncDisposableStack,
): Promise<Foundations> {
  const version = await readVersion()
  const tracing = stack.use(await openTracing(config.otlpEndpoint, version))
  const store = stack.use(await openStore(config, ownLog))
  const { database, vault, log } = store
  const { db } = database
  const onError = (error: Error) => log.warn({ err: error }, 'database.connection_lost')
  const egress = stack.use(
    openEgress({
      allowedHosts: config.egressAllowedHosts,
      privateExceptions: config.egressPrivateExceptions,
      ownOrigins: () => [foundations.publicUrl, `http://localhost:${config.port}`],
      onRefusal: (refused) =>
        void recordAudit(db, { actor: systemActor, action: 'egress.refused', detail: refused }).catch(
          onError,
        ),
    }),
  )
  const notifications = stack.use(await openNotifications({ connection: database.connection, onError }))
  await checkNotifications({ db, notifications })
  const foundations: Foundations = {
    config,
    publicUrl: publicUrlOf(config),
    replica: { id: newId('replica'), role: config.role, version },
    lifecycle: { phase: 'starting' },
    store,
    db,
    vault,
    notifications,
    egress,
    sourceAddress: createSourceAddress(config.trustedProxies),
    conditions: stack.use(openConditions()),
    log,
    metrics: createMetrics(),
    tracing,
    now,
    faults,
  }
  return foundations
}

async function readVersion(): Promise<string> {
  const text = await readFile(join(import.meta.dirname, '../../package.json'), 'utf8')
  // Our own package.json always has a version.
  return (JSON.parse(text) as { version: string }).version
}
