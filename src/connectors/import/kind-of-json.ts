/** The input for an API that accepts only certain kinds of JSON, such as `application/merge-patch+json`. */
export function kindOfJson(types: string[]) {
  const schema = { type: 'string', enum: types, description: 'What kind of JSON the body is' }
  return { name: 'Content-Type', place: 'header', schema, isRequired: true } as const
}
