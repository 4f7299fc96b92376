import { isExactNumber } from '../../../ui/text/parse-exactly.ts'
import { fieldsOf } from '../approval-text.ts'

type Compared = {
  /** By name; `notify.email` is in the object `notify`. */
  common: [name: string, value: unknown][]
  differing: { name: string; valueIn: (input: unknown) => unknown }[]
}

/** Which inputs are the same in all calls of a tool, and which tell one call from another. */
export function compareInputs(inputs: readonly unknown[]): Compared {
  const names = new Set(inputs.flatMap((input) => fieldsOf(input).map(([name]) => name)))
  const parts = [...names].map((name): Compared => {
    const valueIn = (input: unknown) => fieldsOf(input).find(([other]) => other === name)?.[1]
    const values = inputs.map(valueIn)
    const [first] = values
    if (new Set(values.map((value) => JSON.stringify(value))).size === 1)
      return { common: [[name, first]], differing: [] }
    if (!values.every(isObject)) return { common: [], differing: [{ name, valueIn }] }
    const within = compareInputs(values)
    return {
      common: within.common.map(([inner, value]) => [`${name}.${inner}`, value]),
      differing: within.differing.map((inner) => ({
        name: `${name}.${inner.name}`,
        valueIn: (input) => inner.valueIn(valueIn(input)),
      })),
    }
  })
  return {
    common: parts.flatMap(({ common }) => common),
    differing: parts.flatMap(({ differing }) => differing),
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
}
