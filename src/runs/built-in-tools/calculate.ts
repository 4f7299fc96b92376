/** An exact fraction. Its lower part is positive. */
type Fraction = { over: bigint; under: bigint }

export class CalculationError extends Error {}

const maxLength = 20_000
const maxDepth = 50
const shownPlaces = 20
/** A result with more places than this is rounded. */
const exactPlaces = 100

const functions: Record<string, (values: readonly Fraction[]) => Fraction> = {
  sum: (values) => values.reduce(add, whole(0n)),
  count: (values) => whole(BigInt(values.length)),
  average: (values) => divide(values.reduce(add, whole(0n)), whole(BigInt(values.length))),
  min: (values) => values.reduce((least, value) => (isLess(value, least) ? value : least)),
  max: (values) => values.reduce((most, value) => (isLess(most, value) ? value : most)),
}

/** Decimal arithmetic without rounding: 0.1 + 0.2 is 0.3. Throws a CalculationError that says what is wrong with the expression. */
export function calculate(expression: string): string {
  if (expression.length > maxLength) fail(`It can have ${maxLength} characters at most.`)
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|[a-z]+|\S/gi) ?? []
  let at = 0
  let depth = 0
  const takes = (token: string): boolean => {
    if (tokens[at]?.toLowerCase() !== token) return false
    at++
    return true
  }
  const expect = (token: string) => takes(token) || fail(`Expected ${token} at ${tokens[at] ?? 'the end'}.`)

  const readSum = (): Fraction => {
    if (++depth > maxDepth) fail('There are too many parentheses.')
    let value = readProduct()
    for (;;) {
      if (takes('+')) value = add(value, readProduct())
      else if (takes('-')) value = add(value, negate(readProduct()))
      else break
    }
    depth--
    return value
  }
  const readProduct = (): Fraction => {
    let value = readSigned()
    for (;;) {
      if (takes('*')) value = multiply(value, readSigned())
      else if (takes('/')) value = divide(value, readSigned())
      else return value
    }
  }
  const readSigned = (): Fraction => {
    let isNegative = false
    while (takes('-')) isNegative = !isNegative
    let value = readOperand()
    while (takes('%')) value = divide(value, whole(100n))
    return isNegative ? negate(value) : value
  }
  const readOperand = (): Fraction => {
    if (takes('(')) {
      const value = readSum()
      expect(')')
      return value
    }
    const token = tokens[at++] ?? fail('It ends too early.')
    if (/^[\d.]*\d$/.test(token)) return parse(token)
    const name = token.toLowerCase()
    const work = Object.hasOwn(functions, name) ? functions[name] : undefined
    if (!work) fail(`${token} is not known. There are: + - * / % ( ) ${Object.keys(functions).join(' ')}.`)
    expect('(')
    const values = readValues(')')
    return values.length > 0 || name === 'sum' || name === 'count'
      ? work(values)
      : fail(`${token} needs numbers.`)
  }
  /** Lists within lists are one list. */
  const readValues = (end: string): Fraction[] => {
    const values: Fraction[] = []
    if (takes(end)) return values
    do {
      if (takes('[')) {
        if (++depth > maxDepth) fail('There are too many lists in lists.')
        values.push(...readValues(']'))
        depth--
      } else values.push(readSum())
    } while (takes(','))
    expect(end)
    return values
  }

  const result = readSum()
  if (at < tokens.length) fail(`${tokens[at]} is not expected there.`)
  return show(result)
}

function fail(message: string): never {
  throw new CalculationError(message)
}

function whole(over: bigint): Fraction {
  return { over, under: 1n }
}

function parse(number: string): Fraction {
  const [before = '', after = ''] = number.split('.')
  return { over: BigInt(before + after), under: 10n ** BigInt(after.length) }
}

/** Decimals have powers of ten below the line, so sums of any length stay small. */
function add(a: Fraction, b: Fraction): Fraction {
  if (a.under % b.under === 0n) return { over: a.over + b.over * (a.under / b.under), under: a.under }
  if (b.under % a.under === 0n) return add(b, a)
  return { over: a.over * b.under + b.over * a.under, under: a.under * b.under }
}

function negate({ over, under }: Fraction): Fraction {
  return { over: -over, under }
}

function multiply(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.over, under: a.under * b.under }
}

function divide(a: Fraction, b: Fraction): Fraction {
  if (b.over === 0n) fail('It divides by zero.')
  const sign = b.over < 0n ? -1n : 1n
  return { over: sign * a.over * b.under, under: sign * a.under * b.over }
}

function isLess(a: Fraction, b: Fraction): boolean {
  return a.over * b.under < b.over * a.under
}

function show({ over, under }: Fraction): string {
  const isExact = (over * 10n ** BigInt(exactPlaces)) % under === 0n
  const places = isExact ? exactPlaces : shownPlaces
  const size = over < 0n ? -over : over
  const scaled = (2n * size * 10n ** BigInt(places) + under) / (2n * under)
  const digits = scaled.toString().padStart(places + 1, '0')
  const number = `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '')
  const sign = over < 0n && scaled > 0n ? '-' : ''
  return isExact ? `${sign}${number}` : `${sign}${number} (rounded to ${shownPlaces} decimal places)`
}
