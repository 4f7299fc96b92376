import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { hasCode } from '../../platform/has-code.ts'

export async function readYaml(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw hasCode(cause, 'ENOENT') ? new Error(`There is no file ${file}.`) : cause
  })
  try {
    return parse(text)
  } catch (error) {
    throw new Error(`${file} is not valid YAML: ${error instanceof Error ? error.message : error}`)
  }
}
