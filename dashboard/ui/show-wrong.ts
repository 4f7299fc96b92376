/** Brings the first field that is wrong before the person's eyes, or the words about one that is folded away. */
export function showWrong(form: HTMLElement): void {
  const field = form.querySelector<HTMLElement>('[aria-invalid="true"], [data-wrong]')
  const place = field ?? form.querySelector('[role="alert"]')
  place?.scrollIntoView({ block: 'center' })
  field?.focus({ preventScroll: true })
}
