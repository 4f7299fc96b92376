import type { JsonSchema } from '../contract.ts'
import type { SchemaCache } from '../schema/compile-schema.ts'
import { validateInput } from '../schema/validate-input.ts'

const maxWarnings = 5

/** Only warnings: an answer that does not fit its schema is still the answer. `missing` is the warning when there is no value to check. */
export function warnOfSchemaMismatch(
  { connectors: { schemas } }: { connectors: { schemas: SchemaCache } },
  outputSchema: JsonSchema,
  value: unknown,
  missing: string,
): string[] {
  if (value === undefined) return [missing]
  return validateInput(schemas, outputSchema, value)
    .slice(0, maxWarnings)
    .map(({ pointer, detail }) => `The answer does not fit the output schema at ${pointer || '/'}: ${detail}`)
}
