import { readFile, writeFile } from 'node:fs/promises'
import { parse, stringify } from 'yaml'
import { readVariable } from '../config.ts'
import { hasCode } from '../platform/has-code.ts'
import type { Command } from './command.ts'
import { applyDeclaredConfig, parseDeclaredConfig } from './declared/apply-declared-config.ts'
import { describeCurrentConfig, readCurrentConfig } from './declared/describe-current-config.ts'
import { fillVariables } from './declared/fill-variables.ts'
import { openManagementApi } from './declared/management-api.ts'

const access = {
  url: { summary: 'where Bellhop answers (PUBLIC_URL, or this machine)' },
  key: { summary: 'an admin’s API key (API_KEY)' },
}

export const exportConfig: Command = {
  summary: 'write connectors and webhooks as a file, secrets as references to variables',
  // An option, because npm prints lines of its own before the command's output.
  options: { ...access, file: { short: 'f', summary: 'where to write it (to the terminal)' } },
  async run({ file, ...access }) {
    await using api = openManagementApi(access)
    const written = stringify(describeCurrentConfig(await readCurrentConfig(api)), { lineWidth: 0 })
    if (file) await writeFile(file, written)
    else process.stdout.write(written)
    return 0
  },
}

export const apply: Command = {
  summary: 'create and update connectors and webhooks from a file',
  options: { ...access, file: { short: 'f', summary: 'the file, as export writes it' } },
  async run({ file, ...access }) {
    if (!file) throw new Error('Name the file: apply -f bellhop.yaml')
    const declared = parseDeclaredConfig(fillVariables(await readYaml(file), readVariable))
    await using api = openManagementApi(access)
    for await (const line of applyDeclaredConfig(api, await readCurrentConfig(api), declared))
      process.stdout.write(`${line}\n`)
    return 0
  },
}

async function readYaml(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw hasCode(cause, 'ENOENT') ? new Error(`There is no file ${file}.`) : cause
  })
  try {
    return parse(text)
  } catch (error) {
    throw new Error(`${file} is not valid YAML: ${error instanceof Error ? error.message : error}`)
  }
}
