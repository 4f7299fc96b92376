import type { JsonSchema, Location, Method, Style } from '../contract.ts'
import { defaultPlace, type PlacedInput } from '../http/place-inputs.ts'
import { createNamer } from './create-namer.ts'

type Input = {
  /** As the API spells it. */
  name: string
  place: PlacedInput['place']
  schema: unknown
  isRequired?: boolean
  style?: Style
}

/** Collects the inputs of a tool. Each gets a unique name, and a location if it differs from the method's default. */
export function collectInputs(method: Method) {
  const properties: Record<string, unknown> = {}
  const required: string[] = []
  const locations: Record<string, Location> = {}
  const nameProperty = createNamer()
  return {
    locations,
    /** Returns the name of the property. */
    add({ name, place, schema, isRequired = false, style }: Input): string {
      const property = nameProperty(name)
      properties[property] = schema
      if (isRequired) required.push(property)
      if (place === 'wholeBody') locations[property] = place
      else if (place !== 'path') {
        const isUsual = style === undefined || (style === 'repeat' && place !== 'body')
        const isPlain = property === name && isUsual
        if (!isPlain) locations[property] = { in: place, name, ...(isUsual ? {} : { style }) }
        else if (place !== defaultPlace(method)) locations[property] = place
      }
      return property
    },
    /** With `isOpen`, inputs of other names are sent, too. */
    schema: (isOpen = false): JsonSchema => ({
      type: 'object',
      properties,
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: isOpen,
    }),
  }
}
