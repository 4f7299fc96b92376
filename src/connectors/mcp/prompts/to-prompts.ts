import { isObject } from '../../../platform/json/is-object.ts'
import type { ServerPrompt } from './contract.ts'

const longestText = 20_000
const mostPrompts = 100

/** What people may use of a server's list. */
export function toPrompts(raw: readonly unknown[]): ServerPrompt[] {
  return raw.slice(0, mostPrompts).flatMap((one): ServerPrompt[] => {
    if (!isObject(one) || typeof one.name !== 'string') return []
    const given = Array.isArray(one.arguments) ? (one.arguments as unknown[]) : []
    return [
      {
        name: one.name.slice(0, 200),
        title: textOf(one.title) ?? one.name.slice(0, 200),
        description: textOf(one.description),
        arguments: given.flatMap((argument) =>
          isObject(argument) && typeof argument.name === 'string'
            ? [
                {
                  name: argument.name,
                  description: textOf(argument.description),
                  required: argument.required === true,
                },
              ]
            : [],
        ),
      },
    ]
  })
}

/** Null for what is no text, or says nothing. */
export function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, longestText) : null
}
