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
          <dd data-nested={(typeof value === 'object' && !isExactNumber(value)) || undefined}>
            <bdi>{typeof value === 'string' ? value : JSON.stringify(value, null, 1)}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  )
}
