import { isExactNumber } from '../../../ui/text/parse-exactly.ts'
import { fieldsOf } from '../approval-text.ts'
import classes from './call-inputs.module.css'

/** Deeper than that, and further on in a list, the exact request has it. */
const deepest = 5
const longest = 50

/** What the agent passes to the tool, by name; what is in an object or a list is indented below its name. */
export function CallInputs({ input, depth = 0 }: { input: unknown; depth?: number }) {
  const fields = Array.isArray(input)
    ? input.map((value, at): [string, unknown] => [String(at + 1), value])
    : fieldsOf(input)
  const left = fields.length - longest
  return (
    <dl className={classes.inputs} style={{ ['--depth' as string]: depth }}>
      {fields.slice(0, longest).map(([name, value]) => (
        <div key={name} className={classes.input}>
          <dt>{name}</dt>
          {isGroup(value) && depth < deepest ? (
            <dd className={classes.group}>
              <CallInputs input={value} depth={depth + 1} />
            </dd>
          ) : (
            <Value value={value} />
          )}
        </div>
      ))}
      {left > 0 && (
        <div className={classes.input}>
          <dt>…</dt>
          <dd data-none>{left} more in the exact request</dd>
        </div>
      )}
    </dl>
  )
}

function Value({ value }: { value: unknown }) {
  const none = noneWords(value)
  if (none !== null) return <dd data-none>{none}</dd>
  const isJson = isGroup(value)
  return (
    <dd data-json={isJson || undefined}>
      <bdi>{isJson ? JSON.stringify(value, null, 1) : inLines(value)}</bdi>
    </dd>
  )
}

/** A value in a cell of a table. */
export function inputWords(value: unknown): string {
  return noneWords(value) ?? inLines(value)
}

/** An object, or a list of more than words. */
function isGroup(value: unknown): value is object {
  return typeof value === 'object' && !isExactNumber(value) && !isWordList(value) && noneWords(value) === null
}

const isWord = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || isExactNumber(value)

function isWordList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.every(isWord)
}

/** What would be an empty cell. Null for everything else. */
function noneWords(value: unknown): string | null {
  if (value === null) return 'null'
  if (value === '') return 'Empty text'
  if (Array.isArray(value)) return value.length === 0 ? 'Empty list' : null
  return typeof value === 'object' && !isExactNumber(value) && Object.keys(value).length === 0
    ? 'Empty'
    : null
}

/** A list of words has one on each line. */
function inLines(value: unknown): string {
  if (typeof value === 'string') return value
  return isWordList(value) ? value.map(inLines).join('\n') : JSON.stringify(value)
}
