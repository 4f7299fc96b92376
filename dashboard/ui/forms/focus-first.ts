type Form = { getInputNode: (path: string) => HTMLElement | null }

/** Focuses the first wrong field. The second argument of `onSubmit`, for forms that keep nothing. */
export function focusFirst(form: Form) {
  return (errors: Record<string, unknown>): void => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus()
}
