import { writeFile } from 'node:fs/promises'
import { stringify } from 'yaml'
import { readVariable } from '../../config.ts'
import type { Options } from '../command.ts'
import { applyDeclaredConfig, parseDeclaredConfig } from './apply-declared-config.ts'
import { describeCurrentConfig, readCurrentConfig } from './describe-current-config.ts'
import { fillVariables } from './fill-variables.ts'
import { openManagementApi } from './management-api.ts'
import { readYaml } from './read-yaml.ts'

export async function exportConfig({ file, ...access }: Options): Promise<number> {
  await using api = openManagementApi(access)
  const written = stringify(describeCurrentConfig(await readCurrentConfig(api)), { lineWidth: 0 })
  if (file) await writeFile(file, written)
  else process.stdout.write(written)
  return 0
}

export async function apply({ file, ...access }: Options): Promise<number> {
  if (!file) throw new Error('Name the file: apply -f bellhop.yaml')
  const declared = parseDeclaredConfig(fillVariables(await readYaml(file), readVariable))
  await using api = openManagementApi(access)
  for await (const line of applyDeclaredConfig(api, await readCurrentConfig(api), declared))
    process.stdout.write(`${line}\n`)
  return 0
}
