import { escapePointer } from '../../platform/json/escape-pointer.ts'
import type { JsonSchema, Warning } from '../contract.ts'
import { walk } from './find-schema-faults.ts'

type Tool = { modelName: string; description: string; inputSchema: JsonSchema }

/** Keywords that are missing from the documentation of Google's function declarations. */
const unknownToGoogle = [
  '$ref',
  'oneOf',
  'allOf',
  'not',
  'if',
  'patternProperties',
  'dependentSchemas',
  'const',
  'propertyNames',
]
const rootCombinators = ['anyOf', 'oneOf', 'allOf', 'enum', 'not']

/** What a model provider would refuse or misread. Only warnings: the schema is passed on unchanged. */
export function lintSchema(tool: Tool): Warning[] {
  const warnings: Warning[] = []
  const warn = (provider: Warning['provider'], pointer: string, detail: string) =>
    warnings.push({ provider, pointer, detail })
  const { inputSchema: schema, modelName, description } = tool

  if (schema.type !== 'object') {
    warn('all', '/inputSchema/type', 'Model providers want "type":"object" at the root of an input schema.')
  }
  for (const keyword of rootCombinators.filter((name) => name in schema)) {
    const provider = keyword === 'enum' || keyword === 'not' ? 'openai' : 'all'
    warn(
      provider,
      `/inputSchema/${keyword}`,
      `"${keyword}" at the root is refused by some model providers; put it into a property.`,
    )
  }
  if (!/^[a-zA-Z_]/.test(modelName)) {
    warn('google', '/name', `The agent sees this tool as ${modelName}; Google wants a letter or "_" first.`)
  }
  if (description.trim() === '')
    warn('all', '/description', 'Without a description the agent has to guess what the tool does.')
  if (description.length > 1024)
    warn('openai', '/description', 'OpenAI refuses descriptions over 1024 characters.')

  walk(schema, '', (node, pointer) => {
    const at = `/inputSchema${pointer}`
    if (typeof node.properties === 'object' && node.properties !== null && !pointer.endsWith('/properties')) {
      for (const name of Object.keys(node.properties)) {
        if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(name)) {
          warn(
            'anthropic',
            `${at}/properties/${escapePointer(name)}`,
            'Anthropic wants property names of 1 to 64 letters, digits, "_", "." or "-".',
          )
        }
      }
    }
    if (pointer.endsWith('/properties') || pointer.endsWith('/$defs')) return
    for (const keyword of unknownToGoogle.filter((name) => Object.hasOwn(node, name))) {
      warn('google', `${at}/${keyword}`, `Google’s models may ignore or refuse "${keyword}".`)
    }
    if (Array.isArray(node.type)) warn('google', `${at}/type`, 'Google’s models may refuse a list of types.')
    if (node.type === 'array' && !('items' in node) && !('prefixItems' in node)) {
      warn('openai', `${at}/items`, 'OpenAI and Google refuse an array without "items".')
    }
  })
  return warnings.slice(0, 50)
}
