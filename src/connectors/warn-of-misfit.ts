import type { JsonSchema } from './contract.ts'
import type { SchemaCache } from './schema/compile-schema.ts'
import { validateInput } from './schema/validate-input.ts'

const mostWarnings = 5

/** Only warnings: whoever answers unlike the description has answered. `missing` is for an answer that has no value to look at. */
export function warnOfMisfit(
  { schemas }: { schemas: SchemaCache },
  outputSchema: JsonSchema,
  value: unknown,
  missing: string,
): string[] {
  if (value === undefined) return [missing]
  return validateInput(schemas, outputSchema, value)
    .slice(0, mostWarnings)
    .map(({ pointer, detail }) => `The answer does not fit the output schema at ${pointer || '/'}: ${detail}`)
}
