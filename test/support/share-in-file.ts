import { after } from 'node:test'

let open: { start: () => Promise<AsyncDisposable>; started: Promise<AsyncDisposable> } | undefined

/**
 * One of them for all tests of a file, which are kept apart by what each creates: `const sharedApp = shareInFile(startTestApp)`.
 * Tests that change what belongs to the whole installation, or count it, start their own. It ends when another file of the
 * process needs one, or with the process.
 */
export function shareInFile<T extends AsyncDisposable>(start: () => Promise<T>): () => Promise<T> {
  // A key of this file's own, even if two files share the same function.
  const ofThisFile = () => start()
  return async () => {
    if (open?.start !== ofThisFile) {
      await end()
      open = { start: ofThisFile, started: ofThisFile() }
    }
    // Started by the function that belongs to this key.
    return (await open.started) as T
  }
}

async function end(): Promise<void> {
  const ended = open
  open = undefined
  await (await ended?.started)?.[Symbol.asyncDispose]()
}

after(end)
