import { fileURLToPath } from 'node:url'
import { buildDashboard, isDashboardBuilt } from './build-dashboard.mjs'
import { findOrInstallChromium } from './chromium.mjs'
import { installPackages, isInstalled } from './install-packages.mjs'
import { SetupError } from './setup-error.mjs'
import { withSetupLock } from './setup-lock.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

/** Installs and builds what the checkout needs; silent and quick if there is nothing to do. Returns an exit code. */
export async function runSetup(args) {
  const forTests = args.includes('--test')
  const what = forTests ? 'everything' : 'the service'
  try {
    if (!isInstalled(root, what) || !isDashboardBuilt(root)) {
      await withSetupLock(root, async () => {
        // Checked again: another process may have done it while we waited for the lock.
        if (!isInstalled(root, what)) await installPackages(root, what)
        if (!isDashboardBuilt(root)) await buildDashboard(root)
      })
    }
    if (forTests) await findOrInstallChromium()
    return 0
  } catch (error) {
    console.error(error instanceof SetupError ? `\n${error.message}` : error)
    return 1
  }
}
