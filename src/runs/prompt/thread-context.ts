import type { ThreadRead } from '../../chat/chat.ts'
import { delimit } from './delimiter.ts'
import { oneLine } from './turn-note.ts'

type ReadMessage = ThreadRead['messages'][number]

/** What a run was given of a thread that others began. Recorded with it, so that later turns repeat it word for word. */
export type ThreadContext = ThreadRead

const cutNote = '\n(The rest of this message is left out.)'

/** At most so many bytes: the first message, of which half as much is kept at most, and the newest others that fit. */
export function fitThread(read: ThreadRead, maxBytes: number): ThreadContext {
  const [first, ...others] = read.messages
  if (!first) return read
  const shownFirst = cutMessage(first, maxBytes / 2)
  let left = maxBytes - sizeOf(shownFirst)
  const kept: ReadMessage[] = []
  for (const message of others.toReversed()) {
    // The newest one is shown in any case, as far as it fits.
    const shown = kept.length === 0 ? cutMessage(message, left) : message
    left -= sizeOf(shown)
    if (left < 0 && kept.length > 0) break
    kept.unshift(shown)
  }
  return {
    ...read,
    messages: [shownFirst, ...kept],
    leftOut: read.leftOut + others.length - kept.length,
  }
}

/** The marks around a message take room too. */
const markBytes = 120

function sizeOf({ text, author }: ReadMessage): number {
  return Buffer.byteLength(text) + Buffer.byteLength(author.name) + markBytes
}

function cutMessage(message: ReadMessage, maxBytes: number): ReadMessage {
  const room = Math.max(0, Math.floor(maxBytes) - markBytes)
  if (Buffer.byteLength(message.text) <= room) return message
  const text = Buffer.from(message.text)
    .subarray(0, room)
    .toString('utf8')
    .replace(/\uFFFD$/, '')
  return { ...message, text: text + cutNote }
}

/** As the model gets it: every message between marks, with who wrote it. */
export function composeThreadContext(
  { messages, leftOut, problem }: ThreadContext,
  delimiter: string,
): string[] {
  if (problem !== null)
    return ['What others wrote in this thread could not be read. A note under your reply says why.']
  if (messages.length === 0) return []
  const [first, ...others] = messages
  const gap = leftOut > 0 ? [`(${leftOut} messages of the thread are left out here.)`] : []
  const show = (message: ReadMessage) => delimit(delimiter, labelOf(message), message.text)
  return [
    'What others wrote in this thread, oldest first:',
    ...(first ? [show(first)] : []),
    ...gap,
    ...others.map(show),
  ]
}

function labelOf({ author, role }: ReadMessage): string {
  if (author.kind === 'us') return 'earlier message of yours'
  const who = author.kind === 'app' ? 'app' : (role ?? 'no account')
  return `${author.kind === 'app' ? 'post' : 'message'} of ${oneLine(author.name)} (${who})`
}

/** Under the reply, since whoever asks believes that the agent has seen the thread. */
export function noteThreadProblem(context: ThreadContext | null, text: string): string {
  return context?.problem
    ? `${text}\n\n_I could not read what others wrote in this thread. ${context.problem}_`
    : text
}
