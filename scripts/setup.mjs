// Runs before `npm start`, `npm test` and `npm run bellhop`, even in a fresh clone: plain JavaScript, no dependencies, any Node
// version. The rest is imported only if this Node can run it.
const [major = 0] = process.versions.node.split('.').map(Number)

if (major < 20) {
  console.error(`Bellhop needs Node 20 or newer to install itself; this is Node ${process.versions.node}.`)
  console.error('Install a current Node (https://nodejs.org), then run the same command again.')
  process.exitCode = 1
} else {
  const { runSetup } = await import('./setup/run-setup.mjs')
  process.exitCode = await runSetup(process.argv.slice(2))
}
