import { type CelInput, celEnv, isCelError, parse, plan } from '@bufbuild/cel'
import { strings } from '@bufbuild/cel/ext'

/** What is wrong with a condition, and where: in characters, counted from 1. */
export type ConditionFault = { at: number; says: string }

/** Throws if it cannot be evaluated: a field is absent, types do not fit, or it yields neither true nor false. */
type Condition = (variables: Record<string, CelInput>) => boolean

type Compiled = { condition: Condition; fault: null } | { condition: null; fault: ConditionFault }

type Expression = ReturnType<typeof parse>['expr']

const env = celEnv({ funcs: strings })
const emptyMatches = plan(env, parse("''.matches(pattern)"))
const toTimestamp = plan(env, parse('timestamp(text)'))
/** Types can be named too: `type(event.id) == string`. */
const typeNames = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'list', 'map', 'null_type', 'type']

/** CEL. The names are those that the condition may use: a misspelled one is found here, before anything depends on it. */
export function compileCondition(source: string, names: readonly string[]): Compiled {
  try {
    const parsed = parse(source)
    const wrong = findWrong(parsed.expr, names)
    if (wrong) {
      const at = (parsed.sourceInfo?.positions[String(wrong.id)] ?? 0) + 1
      return { condition: null, fault: { at, says: wrong.says } }
    }
    const evaluate = plan(env, parsed)
    return { condition: (variables) => yesOrNo(evaluate(variables)), fault: null }
  } catch (error) {
    return { condition: null, fault: explainSyntax(error, source) }
  }
}

/** A time as conditions see it: it can be compared, and asked for its hour in a time zone. */
export function timestampOf(isoTime: string): CelInput {
  const time = toTimestamp({ text: isoTime })
  if (isCelError(time)) throw time
  return time
}

function yesOrNo(result: unknown): boolean {
  if (isCelError(result)) throw new Error(explainEvaluation(result.message))
  if (typeof result === 'boolean') return result
  throw new Error('It yields a value, not true or false. Compare it with something.')
}

type Wrong = { id: bigint; says: string }

/** The first name or function that does not exist, or pattern that cannot be read. */
function findWrong({ id, exprKind }: Expression, names: readonly string[]): Wrong | null {
  const firstIn = (parts: readonly (Expression | undefined)[], known = names) => {
    for (const part of parts) {
      const wrong = part ? findWrong(part, known) : null
      if (wrong) return wrong
    }
    return null
  }
  switch (exprKind.case) {
    case 'identExpr': {
      const { name } = exprKind.value
      if ([...names, ...typeNames].includes(name) || name.startsWith('@')) return null
      return { id, says: `There is no “${name}”. There are: ${names.join(', ')}.` }
    }
    case 'selectExpr':
      return firstIn([exprKind.value.operand])
    case 'listExpr':
      return firstIn(exprKind.value.elements)
    case 'structExpr':
      return firstIn(
        exprKind.value.entries.flatMap(({ keyKind, value }) => [
          keyKind.case === 'mapKey' ? keyKind.value : undefined,
          value,
        ]),
      )
    case 'comprehensionExpr': {
      const { iterVar, iterVar2, iterRange, accuInit, loopCondition, loopStep, result } = exprKind.value
      return (
        firstIn([iterRange]) ??
        firstIn([accuInit, loopCondition, loopStep, result], [...names, iterVar, iterVar2])
      )
    }
    case 'callExpr': {
      const { function: name, target, args } = exprKind.value
      if (!env.funcs.find(name) && !isOperator(name)) return { id, says: `There is no function “${name}”.` }
      const bad = name === 'matches' ? findBadPattern(args.at(-1)) : null
      return bad ?? firstIn([target, ...args])
    }
    default:
      return null
  }
}

/** Those that are part of the language, such as `_&&_` and `_?_:_`. */
function isOperator(name: string): boolean {
  return /^[@_!-]/.test(name)
}

function findBadPattern(pattern: Expression | undefined): Wrong | null {
  if (pattern?.exprKind.case !== 'constExpr') return null
  const { constantKind } = pattern.exprKind.value
  if (constantKind.case !== 'stringValue') return null
  const result = emptyMatches({ pattern: constantKind.value })
  return isCelError(result)
    ? { id: pattern.id, says: `This regular expression cannot be read: ${result.message}.` }
    : null
}

type SyntaxError = {
  found: string | null
  location: { start: { offset: number } }
  expected: { type: string; value: string }[]
}

function explainSyntax(error: unknown, source: string): ConditionFault {
  if (!isSyntaxError(error)) {
    return { at: 1, says: `It cannot be read: ${error instanceof Error ? error.message : String(error)}.` }
  }
  const { found, expected } = error
  const at = error.location.start.offset
  const wanted = [...new Set(expected.map(({ type, value }) => (type === 'literal' ? `“${value}”` : value)))]
    .filter((what) => what !== 'whitespace' && what !== 'comment')
    .map((what) => (what === 'end of input' ? 'the end of the condition' : what))
  const says = `Expected ${wanted.join(', ')}, but found ${found ? `“${found}”` : 'the end'}.`
  if (found === '=' && source[at + 1] !== '=') return { at: at + 1, says: `${says} Use == to compare.` }
  const isUnfinished = found && expected.every(({ type }) => type === 'end')
  const hint = ' Check that both sides of an operator are there, and that quotes and brackets are closed.'
  return { at: at + 1, says: isUnfinished ? says + hint : says }
}

function isSyntaxError(error: unknown): error is SyntaxError {
  return typeof error === 'object' && error !== null && 'location' in error && 'expected' in error
}

function explainEvaluation(message: string): string {
  const absent = /^field not found: (.*)$/.exec(message)?.[1]
  if (absent !== undefined) return `The field “${absent}” is absent. Ask for it with has(…) first.`
  return `It could not be evaluated: ${message}.`
}
