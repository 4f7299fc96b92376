type Form = { getInputNode: (path: string) => HTMLElement | null }

/** For forms that keep nothing, as the second argument of `onSubmit`: nobody shall press a button and see nothing happen. */
export function focusFirst(form: Form) {
  return (errors: Record<string, unknown>): void => form.getInputNode(Object.keys(errors)[0] ?? '')?.focus()
}
