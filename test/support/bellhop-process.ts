/** After the output of each command, to both streams. */
export const endOfOutput = '\u0004'

/** Runs one command after the other, as `main.ts` runs one. */
if (import.meta.main) {
  const { runCommand } = await import('../../src/cli/run-command.ts')
  process.on('message', async ({ args, env }: { args: string[]; env: Record<string, string> }) => {
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, env)
    const code = await runCommand(args)
    for (const output of [process.stdout, process.stderr]) output.write(endOfOutput)
    process.send?.(code)
  })
}
