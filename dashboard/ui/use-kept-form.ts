import { type FormErrors, type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form'
import { useEffect, useRef, useState } from 'react'
import { readDraft, writeDraft } from './drafts.ts'
import { fieldErrors } from './field-errors.ts'
import { followServer, isFields, isOvertaken, typedDeeplyIn, typedIn } from './follow-server.ts'
import { scrollToError } from './scroll-to-error.ts'

type Options<V> = {
  /** Names the draft in this browser tab. */
  key: string
  initialValues: V
  validate?: UseFormInput<V>['validate']
  /** What may be kept in the tab's storage: everything but secrets. */
  withoutSecrets?: (values: V) => V
}

export type KeptForm<V extends Record<string, unknown>> = UseFormReturnType<V> & {
  /** True if the values were restored from a draft of an earlier visit. */
  restored: boolean
  /** True if a save would overwrite what was changed elsewhere meanwhile. */
  overtaken: boolean
  /** Drops the draft: when something was created from it, or when the person discards it. */
  forget: (values?: V) => void
  /** Shows what was saved, except in fields that were typed in again while it was being sent. */
  saved: (values: V) => void
  /** Shows the server's errors at the fields. */
  refuse: (error: Error) => void
  /** Shows these errors at the fields, for a refusal that names none. */
  refuseAt: (fields: FormErrors) => void
}

/** A form that keeps what was typed until it is saved, even after a reload or an expired session. */
export function useKeptForm<V extends Record<string, unknown>>(options: Options<V>): KeptForm<V> {
  const { key, initialValues, validate, withoutSecrets = (values: V) => values } = options
  const [draft] = useState(() => parseDraft<V>(key))
  const [restored, setRestored] = useState(draft !== null)
  const [overtaken, setOvertaken] = useState(false)
  const form = useForm<V>({ initialValues, ...(validate ? { validate } : {}) })

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the form appears
  useEffect(() => {
    if (!draft) return
    const { typed, before } = draft
    setOvertaken(isOvertaken(typed, before, initialValues))
    form.setValues({ ...initialValues, ...followServer<Partial<V>>(typed, before, initialValues) })
  }, [])

  // Somebody else may change the same thing meanwhile: untouched fields follow, typed ones stay.
  const server = JSON.stringify(initialValues)
  const known = useRef({ text: server, values: initialValues })
  // biome-ignore lint/correctness/useExhaustiveDependencies: exactly when the server tells something else
  useEffect(() => {
    const before = known.current
    known.current = { text: server, values: initialValues }
    if (before.text === server) return
    if (isOvertaken(form.values, before.values, initialValues)) setOvertaken(true)
    const shownNow = form.getValues()
    const followed = followServer(shownNow, before.values, initialValues)
    form.setInitialValues(initialValues)
    form.setValues(followed)
    form.resetDirty(initialValues)
    // Setting values clears all errors; those at fields that the server did not fill still count.
    form.setErrors(errorsOutside(typedDeeplyIn(followed, shownNow), form.errors))
  }, [server])

  const dirty = form.isDirty()
  const text = dirty ? writtenDraft(withoutSecrets(form.values), initialValues) : null
  // A change that was undone leaves no draft.
  useEffect(() => writeDraft(key, text), [key, text])

  // A long form's button may be far from the invalid field: nobody should press it and see nothing happen.
  const shown = useRef<HTMLElement | null>(null)
  const [refusals, setRefusals] = useState(0)
  useEffect(() => {
    if (refusals === 0) return
    // After the next paint, since the invalid field may be in a part that unfolds for it.
    const frame = requestAnimationFrame(() => shown.current && scrollToError(shown.current))
    return () => cancelAnimationFrame(frame)
  }, [refusals])

  const sent = useRef<V | null>(null)
  const settle = (values: V, typed: V) => {
    const [left, server] = [withoutSecrets(typed), withoutSecrets(values)]
    writeDraft(key, Object.keys(typedIn(left, server)).length > 0 ? writtenDraft(left, server) : null)
    setRestored(false)
    setOvertaken(false)
    known.current = { text: JSON.stringify(values), values }
    form.setInitialValues(values)
    form.setValues(typed)
    form.resetDirty(values)
    form.clearErrors()
  }

  const refuseAt = (fields: FormErrors) => {
    form.setErrors(fields)
    setRefusals((times) => times + 1)
  }

  return {
    ...form,
    onSubmit: (handle, fail) => {
      const submit = form.onSubmit(
        (values, ...rest) => {
          sent.current = values
          handle(values, ...rest)
        },
        (...why) => {
          setRefusals((times) => times + 1)
          fail?.(...why)
        },
      )
      return (event) => {
        shown.current = event?.currentTarget ?? null
        submit(event)
      }
    },
    restored: restored && dirty,
    overtaken: overtaken && dirty,
    forget: (values = initialValues) => settle(values, values),
    saved: (values) => settle(values, followServer(form.getValues(), sent.current ?? values, values)),
    refuse: (error) => refuseAt(fieldErrors(error, form.values)),
    refuseAt,
  }
}

function errorsOutside(changed: Record<string, unknown>, errors: FormErrors): FormErrors {
  return Object.fromEntries(Object.entries(errors).filter(([path]) => !isChangedAt(changed, path.split('.'))))
}

function isChangedAt(changed: unknown, [name = '', ...rest]: string[]): boolean {
  return !isFields(changed) || (name in changed && isChangedAt(changed[name], rest))
}

/** Only what was typed, and what was there before: a restored draft does not undo changes made elsewhere in between. */
type Draft<V> = { typed: Partial<V>; before: Partial<V> }

function writtenDraft<V extends Record<string, unknown>>(shown: V, server: V): string {
  const typed = typedIn(shown, server)
  const before = Object.fromEntries(Object.keys(typed).map((name) => [name, server[name]]))
  return JSON.stringify({ typed, before })
}

function parseDraft<V>(name: string): Draft<V> | null {
  try {
    const draft = JSON.parse(readDraft(name) ?? 'null') as Partial<Draft<V>> | null // written above, by this same form
    return draft?.typed && draft.before ? { typed: draft.typed, before: draft.before } : null
  } catch {
    return null
  }
}
