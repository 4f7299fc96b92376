import { enableCompileCache } from 'node:module'

// Caches compiled code on disk, so that types are not stripped again at every start. `npm start` does so by NODE_COMPILE_CACHE, which
// counts for this file and for threads, too: what strips types is not even loaded then (18 MB).
enableCompileCache()
const { runCommand } = await import('./cli/run-command.ts')

process.exitCode = await runCommand(process.argv.slice(2))
