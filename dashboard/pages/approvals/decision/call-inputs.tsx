import { isExactNumber } from '../../../ui/text/parse-exactly.ts'
import { fieldsOf } from '../approval-text.ts'
import classes from './call-inputs.module.css'

/** What the agent passes to the tool, by name. */
export function CallInputs({ input }: { input: unknown }) {
  return (
    <dl className={classes.inputs}>
      {fieldsOf(input).map(([name, value]) => (
        <div key={name} className={classes.input}>
          <dt>{name}</dt>
          <dd data-nested={!isPlain(value) || undefined}>
            <bdi>{inLines(value)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}

const isPlain = (value: unknown) =>
  typeof value !== 'object' || isExactNumber(value) || (Array.isArray(value) && value.every(isWord))

const isWord = (value: unknown) => typeof value === 'string' || typeof value === 'number'

/** A list of words has one on each line. */
function inLines(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.length > 0 && value.every(isWord)) return value.join('\n')
  return JSON.stringify(value, null, 1)
}
