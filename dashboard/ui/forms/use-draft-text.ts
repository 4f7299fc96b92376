import { useEffect, useState } from 'react'
import { readDraft, writeDraft } from './drafts.ts'

/** Keeps what is typed into one field until it is sent, even if the page is left. `key` names the draft in this browser tab. */
export function useDraftText(key: string, initial = '') {
  const [text, setText] = useState(() => readDraft(key) ?? initial)
  useEffect(() => writeDraft(key, text === initial ? null : text), [key, text, initial])
  return [text, setText] as const
}
