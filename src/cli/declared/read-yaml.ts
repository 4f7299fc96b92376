import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'

export async function readYaml(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8')
  try {
    return parse(text)
  } catch (error) {
    throw new Error(`${file} is not valid YAML: ${error instanceof Error ? error.message : error}`)
  }
}
