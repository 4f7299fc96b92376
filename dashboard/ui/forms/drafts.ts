/** What was typed and not sent or saved yet, in the tab's storage. If that is full or disabled, only the draft is lost. */
const prefix = 'draft:'
const owner = 'drafts-of'

export function readDraft(name: string): string | null {
  try {
    return sessionStorage.getItem(prefix + name)
  } catch {
    return null
  }
}

export function writeDraft(name: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(prefix + name)
    else sessionStorage.setItem(prefix + name, text)
  } catch {
    // As above.
  }
}

/** Another person in the same tab does not get somebody's drafts. Null: nobody is signed in. */
export function keepDraftsOf(person: string | null): void {
  try {
    if (sessionStorage.getItem(owner) === person) return
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
    sessionStorage.setItem(owner, person ?? '')
  } catch {
    // As above.
  }
}
