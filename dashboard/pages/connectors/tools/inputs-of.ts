export type ToolInput = { name: string; kind: string; isRequired: boolean; about: string }

/** As JSON Schema has them, as far as people need to know. */
export function inputsOf(schema: unknown): ToolInput[] {
  // What a server or document declares is checked when it is read, except for what is inside of `properties`.
  const { properties = {}, required } = (schema ?? {}) as {
    properties?: Record<string, { type?: string | string[]; description?: string } | boolean>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const { type, description } = typeof property === 'object' ? property : {}
    return {
      name,
      kind: Array.isArray(type) ? type.join(' or ') : (type ?? ''),
      isRequired: required?.includes(name) ?? false,
      about: description ?? '',
    }
  })
}
