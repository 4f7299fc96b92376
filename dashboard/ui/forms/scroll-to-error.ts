/** Scrolls to the first invalid field, or to the message about one that is folded away. */
export function scrollToError(form: HTMLElement): void {
  const field = form.querySelector<HTMLElement>('[aria-invalid="true"], [data-wrong]')
  const place = field ?? form.querySelector('[role="alert"]')
  place?.scrollIntoView({ block: 'center' })
  field?.focus({ preventScroll: true })
}
