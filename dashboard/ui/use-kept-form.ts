import { type FormErrors, type UseFormReturnType, useForm } from '@mantine/form'
import { useEffect, useRef, useState } from 'react'
import { readDraft, writeDraft } from './drafts.ts'
import { fieldErrors } from './field-errors.ts'
import { followServer, isOvertaken, typedIn } from './follow-server.ts'
import { showWrong } from './show-wrong.ts'

type Options<V> = {
  /** Names the draft in this browser tab. */
  key: string
  initialValues: V
  validate?: (values: V) => FormErrors
  /** What may lie in the tab's storage: secrets may not. */
  withoutSecrets?: (values: V) => V
}

export type KeptForm<V extends Record<string, unknown>> = UseFormReturnType<V> & {
  /** True when what is shown came from an earlier visit that was not saved. */
  restored: boolean
  /** True when what a save would replace was changed elsewhere meanwhile. */
  overtaken: boolean
  /** Forgets the draft: after a save, or when the person discards it. */
  forget: (values?: V) => void
  /** Puts the server's words at the fields. */
  refuse: (error: Error) => void
}

/** A form that keeps what was typed until it is saved, also over a reload or an expired session. */
export function useKeptForm<V extends Record<string, unknown>>(options: Options<V>): KeptForm<V> {
  const { key, initialValues, validate, withoutSecrets = (values: V) => values } = options
  const [draft] = useState(() => parseDraft<V>(key))
  const [restored, setRestored] = useState(draft !== null)
  const [overtaken, setOvertaken] = useState(false)
  const form = useForm<V>({ initialValues, ...(validate ? { validate } : {}) })

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the form appears
  useEffect(() => {
    if (draft) form.setValues({ ...initialValues, ...draft })
  }, [])

  // Somebody else may change the same thing meanwhile: what was not touched here follows, what was typed stays.
  const server = JSON.stringify(initialValues)
  const known = useRef({ text: server, values: initialValues })
  // biome-ignore lint/correctness/useExhaustiveDependencies: exactly when the server tells something else
  useEffect(() => {
    const before = known.current
    known.current = { text: server, values: initialValues }
    if (before.text === server) return
    if (isOvertaken(form.values, before.values, initialValues)) setOvertaken(true)
    form.setInitialValues(initialValues)
    form.setValues((values) => followServer(values, before.values, initialValues))
    form.resetDirty(initialValues)
  }, [server])

  const dirty = form.isDirty()
  // Only what was typed: a draft that comes back does not undo what changed elsewhere in between.
  const text = dirty ? JSON.stringify(typedIn(withoutSecrets(form.values), initialValues)) : null
  // What was typed and taken back again is no draft any more.
  useEffect(() => writeDraft(key, text), [key, text])

  // Long forms end far below their first field: nobody shall press a button and see nothing happen.
  const shown = useRef<HTMLElement | null>(null)
  const [refusals, setRefusals] = useState(0)
  useEffect(() => {
    if (refusals === 0) return
    // After the next paint: what is wrong may be in a part that unfolds for it.
    const frame = requestAnimationFrame(() => shown.current && showWrong(shown.current))
    return () => cancelAnimationFrame(frame)
  }, [refusals])

  return {
    ...form,
    onSubmit: (handle, fail) => {
      const submit = form.onSubmit(handle, (...why) => {
        setRefusals((times) => times + 1)
        fail?.(...why)
      })
      return (event) => {
        shown.current = event?.currentTarget ?? null
        submit(event)
      }
    },
    restored: restored && dirty,
    overtaken: overtaken && dirty,
    forget: (values = initialValues) => {
      writeDraft(key, null)
      setRestored(false)
      setOvertaken(false)
      known.current = { text: JSON.stringify(values), values }
      form.setInitialValues(values)
      form.setValues(values)
      form.resetDirty(values)
      form.clearErrors()
    },
    refuse: (error) => {
      form.setErrors(fieldErrors(error, form.values))
      setRefusals((times) => times + 1)
    },
  }
}

function parseDraft<V>(name: string): Partial<V> | null {
  try {
    return JSON.parse(readDraft(name) ?? 'null') as Partial<V> | null // written above, by this same form
  } catch {
    return null
  }
}
