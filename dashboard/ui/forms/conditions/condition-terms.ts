export type ConditionField = { path: string; type?: string }

/** One comparison of a condition; the value as somebody types it. */
export type Term = { path: string; op: string; value: string }

export const comparisons = [
  { value: '==', label: 'is' },
  { value: '!=', label: 'is not' },
  { value: '<=', label: 'is at most' },
  { value: '>=', label: 'is at least' },
  { value: '<', label: 'is less than' },
  { value: '>', label: 'is more than' },
  { value: 'in', label: 'is one of' },
  { value: 'contains', label: 'contains' },
  { value: 'startsWith', label: 'starts with' },
]

const literal = String.raw`"(?:[^"\\\n]|\\["\\/bfnrt])*"|'[^'\\\n]*'|-?\d+(?:\.\d+)?|true|false`
const path = String.raw`[a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*(?!\w|\()|\["[^"\\]*"\]|\[\d+\])*`
const term = new RegExp(
  String.raw`\s*(${path})\s*(?:(==|!=|<=|>=|<|>)\s*(${literal})|\.(contains|startsWith)\((${literal})\)|in\s*\[((?:${literal})(?:,\s*(?:${literal}))*)\])\s*(&&|$)`,
  'y',
)

/** The comparisons of a condition in CEL, all of which must be true; null if it is more than that. */
export function readCondition(cel: string, fields: ConditionField[]): Term[] | null {
  const text = cel.trim()
  if (text === '' || text === 'true') return []
  const terms: Term[] = []
  term.lastIndex = 0
  while (term.lastIndex < text.length) {
    const found = term.exec(text)
    if (!found) return null
    const [, of = '', op, value, call, argument, list] = found
    const type = typeOf(of, fields)
    const values = list?.match(new RegExp(literal, 'g')) ?? [value ?? argument ?? '']
    terms.push({
      path: of,
      op: op ?? call ?? 'in',
      value: values.map((one) => readLiteral(one, type)).join(', '),
    })
    if (found[7] === '&&' && term.lastIndex === text.length) return null
  }
  return terms
}

/** In CEL; comparisons without a field or a value are left out. */
export function writeCondition(terms: Term[], fields: ConditionField[]): string {
  return terms
    .filter((one) => one.path.trim() !== '' && one.value.trim() !== '')
    .map((one) => {
      const [of, value] = [one.path.trim(), one.value.trim()]
      const write = (text: string) => writeLiteral(text.trim(), typeOf(of, fields))
      if (one.op === 'in') return `${of} in [${value.split(',').map(write).join(', ')}]`
      if (one.op === 'contains' || one.op === 'startsWith') return `${of}.${one.op}(${write(value)})`
      return `${of} ${one.op} ${write(value)}`
    })
    .join(' && ')
}

const plain = /^(-?\d+(\.\d+)?|true|false)$/

function typeOf(of: string, fields: ConditionField[]): string | undefined {
  return fields.find((field) => field.path === of)?.type
}

/** Where the type is not known, text that looks like a number is told from a number by its quotes. */
function readLiteral(cel: string, type: string | undefined): string {
  if (plain.test(cel)) return cel
  const text = cel.startsWith("'") ? cel.slice(1, -1) : String(JSON.parse(cel))
  return type !== 'string' && (plain.test(text) || text.startsWith('"')) ? JSON.stringify(text) : text
}

function writeLiteral(text: string, type: string | undefined): string {
  if (type !== 'string' && (plain.test(text) || /^"([^"\\]|\\.)*"$/.test(text))) return text
  return JSON.stringify(text)
}
