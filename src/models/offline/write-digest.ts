import { type Field, listFields } from '../../platform/json/list-fields.ts'
import { joinLists } from './join-lists.ts'
import { nameItems } from './name-items.ts'
import { type Instructions, readInstructions } from './read-instructions.ts'

export type UsedTool = { name: string; text: string }

type Material = { prompt: string; event: string | null; used: readonly UsedTool[] }

const label = '_offline (no language model)_'
const digestLabel = '_offline (no language model): what came in, put in order_'
const defaultLines = 12
const longest = 200

/** A readable summary of the event and the tools' answers, in the form the prompt asks for if that is clear. */
export function writeDigest({ prompt, event, used }: Material): string {
  const fields = event === null ? [] : joinLists(listFields(event))
  const answers = used.map(({ name, text }) => ({ name, ...readAnswer(text) }))
  // A tool's answer often repeats the event's fields; each fact is told once.
  const known = new Set(fields.map(factOf))
  const added = answers.flatMap((answer) => answer.fields).filter((field) => !known.has(factOf(field)))
  const instructions = readInstructions(prompt, [...fields, ...added])
  if (instructions.exactly !== null) return instructions.exactly
  const write = instructions.lines === 1 ? inOneSentence : inFull
  const body = event === null ? greet(used.length) : write(fields, answers, instructions, event)
  const end = event === null ? label : digestLabel
  return [instructions.beginWith, body, instructions.endWith, end]
    .filter((part) => part !== null)
    .join('\n\n')
}

function factOf({ path, value }: Field): string {
  return JSON.stringify([path.at(-1), value])
}

type Answer = { name: string; head: string; fields: Field[]; plain: string }

/** The first line is the status; the answer itself is between the fence lines. */
function readAnswer(text: string): Omit<Answer, 'name'> {
  const [head = '', ...rest] = text.split('\n')
  const inside = rest
    .join('\n')
    .replace(/^<<[^\n]*>>\n/, '')
    .replace(/\n<<end [^\n]*>>[\s\S]*$/, '')
  return { head, fields: joinLists(listFields(inside)), plain: inside.trim() }
}

function inOneSentence(
  fields: readonly Field[],
  answers: readonly Answer[],
  instructions: Instructions,
  event: string,
): string {
  if (fields.length === 0 && answers.length === 0) return beginningOf(event)
  const told = instructions.fields.length > 0 ? instructions.fields : fields.slice(0, 4)
  const facts = told.slice(0, 6).map((field) => `${nameOf(field)} ${shorten(field.value)}`)
  const calls =
    instructions.fields.length > 0 ? [] : answers.map(({ name, head }) => `${name} answered ${head}`)
  return `${[...facts, ...calls].join(', ')}.`
}

function inFull(
  fields: readonly Field[],
  answers: readonly Answer[],
  instructions: Instructions,
  event: string,
): string {
  const room = instructions.lines ?? defaultLines
  const { told, rest } =
    instructions.fields.length > 0
      ? { told: instructions.fields.slice(0, room), rest: 0 }
      : chooseFields(fields, room)
  const facts = fields.length === 0 ? beginningOf(event) : render(told, instructions.form)
  const more =
    instructions.lines === null && rest > 0 ? `… and ${rest} more ${rest === 1 ? 'field' : 'fields'}` : null
  const calls = instructions.lines !== null ? [] : answers.map(renderAnswer)
  return [title(fields), facts, more, ...calls].filter(Boolean).join('\n\n')
}

/** Where not all fit, the items of a list come first, and share the lines with what is said about all of them. */
function chooseFields(fields: readonly Field[], room: number): { told: readonly Field[]; rest: number } {
  if (fields.length <= room) return { told: fields, rest: 0 }
  const items = nameItems(fields).slice(0, Math.ceil((room * 2) / 3))
  const covered = new Set(items.flatMap(({ of }) => of))
  const others = fields.filter((field) => !covered.has(field))
  const told = others.slice(0, room - items.length)
  return { told: [...items, ...told], rest: others.length - told.length }
}

function render(fields: readonly Field[], form: Instructions['form']): string {
  switch (form) {
    case 'json':
      return `\`\`\`json\n${JSON.stringify(Object.fromEntries(fields.map((field) => [field.path.join('.'), field.value])), null, 2)}\n\`\`\``
    case 'table':
      return [
        '| field | value |',
        '| --- | --- |',
        ...fields.map((field) => `| ${nameOf(field)} | ${shorten(field.value).replaceAll('|', '\\|')} |`),
      ].join('\n')
    case 'list':
      return fields.map((field) => `- **${nameOf(field)}**: ${shorten(field.value)}`).join('\n')
    default:
      throw new Error(`Unhandled form ${form satisfies never}`)
  }
}

function renderAnswer({ name, head, fields, plain }: Answer): string {
  const lines = fields.slice(0, defaultLines).map((field) => `- ${nameOf(field)}: ${shorten(field.value)}`)
  return [`**${name}** → ${head}`, ...(lines.length > 0 ? lines : plain ? [shorten(plain)] : [])].join('\n')
}

/** Many senders have a field that names the kind of event. */
function title(fields: readonly Field[]): string | null {
  const kind = fields.find(
    ({ path }) => path.length === 1 && /^(event|type|action|kind|topic)$/i.test(path[0] ?? ''),
  )
  return kind ? `**${shorten(kind.value)}**` : null
}

function greet(calls: number): string {
  return calls > 0
    ? 'This is what the tools say.'
    : 'I am the offline agent: I put events in order and look things up, but I cannot talk. An admin can set a language model under Settings → Model.'
}

/** For an event without fields: empty, or one value that is too long to split. */
function beginningOf(event: string): string {
  return shorten(event.trim() || '(empty)')
}

function nameOf({ path }: Field): string {
  return shorten(path.join('.')) || 'value'
}

/** One line, without anything that Markdown would format. */
function shorten(value: string): string {
  // Only the beginning of a very long value is processed.
  const line = value.slice(0, 10 * longest).replaceAll(/\s+/g, ' ')
  return line.length > longest || value.length > 10 * longest ? `${line.slice(0, longest)}…` : line
}
