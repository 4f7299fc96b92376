import { fileURLToPath } from 'node:url'
import { buildDashboard, isDashboardBuilt } from './build-dashboard.mjs'
import { findOrInstallChromium } from './chromium.mjs'
import { installPackages, isInstalled } from './install-packages.mjs'
import { SetupError } from './setup-error.mjs'
import { withSetupLock } from './setup-lock.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

/** Brings the checkout to the state its files ask for; silent and quick when there is nothing to do. Answers an exit code. */
export async function runSetup(args) {
  try {
    if (!isInstalled(root) || !isDashboardBuilt(root)) {
      await withSetupLock(root, async () => {
        // Asked again: another process may have done it while we waited for the lock.
        if (!isInstalled(root)) await installPackages(root)
        if (!isDashboardBuilt(root)) await buildDashboard(root)
      })
    }
    if (args.includes('--test')) await findOrInstallChromium()
    return 0
  } catch (error) {
    console.error(error instanceof SetupError ? `\n${error.message}` : error)
    return 1
  }
}
