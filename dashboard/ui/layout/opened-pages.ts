export type OpenedPage = { to: string; title: string }

/** Of whom, and the last ones first, in this browser. If its storage is full or disabled, there are none. */
type Opened = { of: string | null; pages: OpenedPage[] }

const key = 'opened-pages'
const most = 8
/** The page of one thing, not of a list. */
const endsWithId = /\/[a-z]+_[0-9a-f-]{36}$/

export function listOpened(): OpenedPage[] {
  return read().pages
}

export function rememberOpened(to: string, title: string): void {
  if (!endsWithId.test(to)) return
  const { of, pages } = read()
  write({ of, pages: [{ to, title }, ...pages.filter((page) => page.to !== to)].slice(0, most) })
}

/** What was deleted cannot be opened again. */
export function forgetOpened(to: string): void {
  const { of, pages } = read()
  write({ of, pages: pages.filter((page) => !page.to.startsWith(to)) })
}

/** Another person in the same browser does not see what somebody opened. Null: nobody is signed in. */
export function keepOpenedOf(person: string | null): void {
  if (read().of !== person) write({ of: person, pages: [] })
}

function read(): Opened {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '') as Opened // written below
  } catch {
    return { of: null, pages: [] }
  }
}

function write(opened: Opened): void {
  try {
    localStorage.setItem(key, JSON.stringify(opened))
  } catch {
    // As above.
  }
}
