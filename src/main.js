import { enableCompileCache } from 'node:module'

// Caches compiled code on disk, so that types are not stripped again at every start. This file is read before, so it has none: what
// strips them would stay in memory.
enableCompileCache()
const { runCommand } = await import('./cli/run-command.ts')

process.exitCode = await runCommand(process.argv.slice(2))
