import { type FormErrors, type UseFormInput, type UseFormReturnType, useForm } from '@mantine/form'
import { useEffect, useRef, useState } from 'react'
import { readDraft, writeDraft } from './drafts.ts'
import { fieldErrors } from './field-errors.ts'
import {
  changedFields,
  changedFieldsDeep,
  hasConflict,
  isFields,
  mergeServerValues,
} from './merge-server-values.ts'

type Options<V> = {
  /** Names the draft in this browser tab. */
  key: string
  initialValues: V
  validate?: UseFormInput<V>['validate']
  /** What may be kept in the tab's storage: everything but secrets. */
  withoutSecrets?: (values: V) => V
}

export type DraftForm<V extends Record<string, unknown>> = UseFormReturnType<V> & {
  /** True if the values were restored from a draft of an earlier visit. */
  restored: boolean
  /** True if a save would overwrite what was changed elsewhere meanwhile. */
  conflicting: boolean
  /** Drops the draft: when something was created from it, or when the person discards it. */
  discard: (values?: V) => void
  /** Shows what was saved, except in fields that were typed in again while it was being sent. */
  markSaved: (values: V) => void
  /** Shows the server's errors at the fields. */
  showErrors: (error: Error) => void
  /** Shows these errors at the fields, for a refusal that names none. */
  setFieldErrors: (fields: FormErrors) => void
}

/** A form that keeps what was typed until it is saved, even after a reload or an expired session. */
export function useDraftForm<V extends Record<string, unknown>>(options: Options<V>): DraftForm<V> {
  const { key, initialValues, validate, withoutSecrets = (values: V) => values } = options
  const [draft] = useState(() => parseDraft<V>(key))
  const [restored, setRestored] = useState(draft !== null)
  const [conflicting, setConflicting] = useState(false)
  const form = useForm<V>({ initialValues, ...(validate ? { validate } : {}) })

  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the form appears
  useEffect(() => {
    if (!draft) return
    const { typed, before } = draft
    setConflicting(hasConflict(typed, before, initialValues))
    form.setValues({ ...initialValues, ...mergeServerValues<Partial<V>>(typed, before, initialValues) })
  }, [])

  // Somebody else may change the same thing meanwhile: untouched fields follow, typed ones stay.
  const server = JSON.stringify(initialValues)
  const known = useRef({ text: server, values: initialValues })
  // biome-ignore lint/correctness/useExhaustiveDependencies: exactly when the server tells something else
  useEffect(() => {
    const before = known.current
    known.current = { text: server, values: initialValues }
    if (before.text === server) return
    if (hasConflict(form.values, before.values, initialValues)) setConflicting(true)
    const shownNow = form.getValues()
    const followed = mergeServerValues(shownNow, before.values, initialValues)
    form.setInitialValues(initialValues)
    form.setValues(followed)
    form.resetDirty(initialValues)
    // Setting values clears all errors; those at fields that the server did not fill still count.
    form.setErrors(errorsOutside(changedFieldsDeep(followed, shownNow), form.errors))
  }, [server])

  const dirty = form.isDirty()
  const text = dirty ? writtenDraft(withoutSecrets(form.values), initialValues) : null
  // A change that was undone leaves no draft.
  useEffect(() => writeDraft(key, text), [key, text])

  // A long form's button may be far from the invalid field: nobody should press it and see nothing happen.
  const shown = useRef<HTMLElement | null>(null)
  const [failures, setFailures] = useState(0)
  useEffect(() => {
    if (failures === 0) return
    // After the next paint, since the invalid field may be in a part that unfolds for it.
    const frame = requestAnimationFrame(() => shown.current && scrollToError(shown.current))
    return () => cancelAnimationFrame(frame)
  }, [failures])

  const sent = useRef<V | null>(null)
  const settle = (values: V, typed: V) => {
    const [left, server] = [withoutSecrets(typed), withoutSecrets(values)]
    writeDraft(key, Object.keys(changedFields(left, server)).length > 0 ? writtenDraft(left, server) : null)
    setRestored(false)
    setConflicting(false)
    known.current = { text: JSON.stringify(values), values }
    form.setInitialValues(values)
    form.setValues(typed)
    form.resetDirty(values)
    form.clearErrors()
  }

  const setFieldErrors = (fields: FormErrors) => {
    form.setErrors(fields)
    setFailures((times) => times + 1)
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
          setFailures((times) => times + 1)
          fail?.(...why)
        },
      )
      return (event) => {
        shown.current = event?.currentTarget ?? null
        submit(event)
      }
    },
    restored: restored && dirty,
    conflicting: conflicting && dirty,
    discard: (values = initialValues) => settle(values, values),
    markSaved: (values) =>
      settle(values, mergeServerValues(form.getValues(), sent.current ?? values, values)),
    showErrors: (error) => setFieldErrors(fieldErrors(error, form.values)),
    setFieldErrors,
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
  const typed = changedFields(shown, server)
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

/** Scrolls to the first invalid field, or to the message about one that is folded away. */
function scrollToError(form: HTMLElement): void {
  const field = form.querySelector<HTMLElement>('[aria-invalid="true"], [data-wrong]')
  const place = field ?? form.querySelector('[role="alert"]')
  place?.scrollIntoView({ block: 'center' })
  field?.focus({ preventScroll: true })
}
