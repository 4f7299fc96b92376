import { keysChanged, keysInUse, readKeys } from '../platform/crypto/load-keys.ts'
import { notify } from '../platform/db/notify.ts'
import type { AppContext } from './app-context.ts'

/**
 * When keys change, reads them again and announces which one we seal with: `rotate-encryption-key` waits for that.
 */
export async function followKeys(ctx: AppContext): Promise<void> {
  const { config, db, notifications, replica, settings, vault, log } = ctx
  const readAgain = async () =>
    config.encryptionKeys.length > 0 ? config.encryptionKeys : await readKeys(config.dataDir)
  await notifications.listen(keysChanged, () => {
    readAgain()
      .then(async (keys) => {
        vault.useKeys(keys)
        // Cached settings were sealed with a key that is about to be dropped.
        settings.forget()
        await notify(db, keysInUse, `${replica.id} ${vault.keyId}`)
      })
      .catch((error: unknown) => log.error({ err: error }, 'vault.keys_unreadable'))
  })
}
