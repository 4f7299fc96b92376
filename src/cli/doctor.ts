import { describeConfig, readConfig } from '../config.ts'
import type { Command } from './run-command.ts'

export const doctor: Command = {
  says: 'show the effective configuration and check what Bellhop depends on',
  async run() {
    const config = readConfig()
    for (const [name, value] of Object.entries(describeConfig(config))) {
      process.stdout.write(
        `${name.padEnd(26)} ${typeof value === 'string' ? value : JSON.stringify(value)}\n`,
      )
    }
    return 0
  },
}
