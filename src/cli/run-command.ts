import { parseArgs } from 'node:util'
import type { Options } from './command.ts'
import { commands } from './commands.ts'

/** `bellhop <command> [--option value]`. Without a command it starts the service. */
export async function runCommand(args: string[]): Promise<number> {
  const { name, rest } = split(args)
  const wantsHelp = args.includes('--help') || args.includes('-h')
  if (name === 'help' || wantsHelp) return print(help(args[0]?.startsWith('-') ? undefined : name))
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) return print(`There is no command "${name}".\n\n${help()}`, 2)
  try {
    const options = Object.fromEntries(
      Object.entries(command.options ?? {}).map(([name, { summary: _, flag, ...option }]) => [
        name,
        { ...option, type: flag ? ('boolean' as const) : ('string' as const) },
      ]),
    )
    const { values } = parseArgs({ args: rest, options, strict: true })
    // No option is declared `multiple`, so none has a list.
    const given = Object.entries(values).map(([name, value]) => [name, String(value)])
    return await command.run(Object.fromEntries(given) as Options, command)
  } catch (error) {
    const isMisspelt = error instanceof Error && 'code' in error && /^ERR_PARSE_ARGS/.test(String(error.code))
    const { explainFailure } = await import('./explain-failure.ts')
    return print(explainFailure(error) + (isMisspelt ? `\n\n${help(name)}` : ''), 1)
  }
}

function split(args: string[]): { name: string; rest: string[] } {
  const firstOption = args.findIndex((arg) => arg.startsWith('-'))
  const leading = firstOption === -1 ? args : args.slice(0, firstOption)
  for (const words of [2, 1]) {
    const name = leading.slice(0, words).join(' ')
    if (leading.length >= words && Object.hasOwn(commands, name)) return { name, rest: args.slice(words) }
  }
  return { name: leading[0] ?? 'start', rest: args.slice(leading.length === 0 ? 0 : 1) }
}

function help(about?: string): string {
  const command = about === undefined ? undefined : commands[about]
  if (command) {
    const options = Object.entries(command.options ?? {}).map(
      ([name, { short, summary }]) => `  --${(short ? `${name}, -${short}` : name).padEnd(20)} ${summary}`,
    )
    return [`bellhop ${about}: ${command.summary}`, ...options].join('\n')
  }
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(24)} ${summary}`)
  const call = 'npm run bellhop -- <command>'
  const more = `${call} --help lists the options of a command.`
  return ['Bellhop, an AI agent for a team’s chat.', '', call, '', ...lines, '', more].join('\n')
}

function print(text: string, exitCode = 0): number {
  process[exitCode === 0 ? 'stdout' : 'stderr'].write(`${text}\n`)
  return exitCode
}
