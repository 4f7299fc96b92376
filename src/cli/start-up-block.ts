import type { App } from '../app.ts'

/** What a person wants to know after `npm start`, and nothing else. */
export function startUpBlock({ url, ctx, setupUrl }: App): string {
  const { config } = ctx
  const rows: [string, string][] = [
    ['Open', url],
    ['Data', config.databaseUrl ? 'external PostgreSQL' : `${config.dataDir} (embedded PostgreSQL)`],
    [
      'Model',
      config.model ? `${config.model.provider} ${config.model.name}`.trim() : 'offline (no language model)',
    ],
    ['Chat', 'built-in workspace'],
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  const lines = rows.map(([label, value]) => `  ${label.padEnd(width)}  ${value}`)
  const invitation = setupUrl ? ['', '  Create the first admin (this link works once):', `  ${setupUrl}`] : []
  return ['', '  Bellhop is ready.', '', ...lines, ...invitation, '', '  Ctrl-C stops it.', '', ''].join('\n')
}
