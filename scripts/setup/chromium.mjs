import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { runCommand } from './run-command.mjs'
import { SetupError } from './setup-error.mjs'

/** Chromium without its windows starts faster and needs a fifth less of the processor. */
const debianPackage = 'chromium-headless-shell'
const commands = [debianPackage, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const applications = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The browser tests use the machine's Chromium; on Debian, root gets it installed. */
export async function findOrInstallChromium() {
  if (findChromium()) return
  if (!onPath('apt-get')) {
    throw new SetupError(
      'The browser tests need Chromium or Chrome. Install one, or name its program with CHROMIUM_PATH, then run npm test again.',
    )
  }
  if (process.getuid?.() !== 0) {
    throw new SetupError(
      'The browser tests need Chromium. Install it with\n' +
        `  sudo apt-get update && sudo apt-get install -y ${debianPackage}\n` +
        'then run npm test again. A Chromium that is elsewhere is named with CHROMIUM_PATH.',
    )
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  await runCommand('Reading the list of Debian packages', 'apt-get', ['update'], { env })
  const install = ['install', '-y', '--no-install-recommends', debianPackage]
  await runCommand('Installing Chromium for the browser tests', 'apt-get', install, { env })
  if (!findChromium()) {
    throw new SetupError(
      `The package ${debianPackage} was installed but brought no program of that name. Install Chromium or Chrome, and name ` +
        'its program with CHROMIUM_PATH.',
    )
  }
}

/**
 * The path of a Chromium or Chrome, or undefined.
 * @returns {string | undefined}
 */
export function findChromium() {
  const named = process.env.CHROMIUM_PATH
  if (named) {
    if (isProgram(named)) return named
    throw new SetupError(`CHROMIUM_PATH names ${named}, which is not a program. Correct it, or unset it.`)
  }
  return commands.map(onPath).find(Boolean) ?? applications.find(isProgram)
}

function onPath(command) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, command))
    .find(isProgram)
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
