import { enableCompileCache } from 'node:module'

// Types are stripped and code is compiled once, not at every start.
enableCompileCache()
const { runCommand } = await import('./cli/run-command.ts')

process.exitCode = await runCommand(process.argv.slice(2))
