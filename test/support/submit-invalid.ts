import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { becomes } from './becomes.ts'
import { goTo } from './browser.ts'
import { until } from './until.ts'

export const hostile = `"><img src=x onerror="globalThis.struck=1"><script>globalThis.struck=1</script>`

export type InvalidForm = {
  /** What must be opened first. */
  open?: (page: Page) => Promise<unknown>
  /** The region of the form, if a page has several alike. */
  within?: string
  /** What is typed, by label; all of it must stay. */
  fields: Record<string, string>
  submit: string
  /** The fields that must show an error, and part of its text. */
  says: Record<string, RegExp>
}

/** Sends a form with invalid input: the errors are at the fields, everything typed stays and none of it is executed. */
export async function submitInvalid(page: Page, path: string, wrong: InvalidForm): Promise<void> {
  const { open, within, fields, submit, says } = wrong
  await goTo(page, path)
  await open?.(page)
  const [first = ''] = Object.keys(says)
  const place = within === undefined ? page : page.getByRole('region', { name: within, exact: true })
  // The innermost form that has the field. Marked, since looking for it each time takes longer than all the rest.
  await place
    .locator('form')
    .filter({ has: page.getByLabel(named(first)) })
    .last()
    .evaluate((found) => found.setAttribute('data-under-test', ''))
  const form = page.locator('form[data-under-test]')
  const field = (label: string) => form.getByLabel(named(label)).last()
  for (const [label, text] of Object.entries(fields)) {
    // A plain field may be replaced by the code editor while it is being filled.
    await until(async () => {
      await field(label).fill(text)
      return (await textIn(field(label))) === text
    })
  }
  await form.getByRole('button', { name: submit, exact: true }).click()
  for (const [label, words] of Object.entries(says)) {
    const refused = form.locator('.mantine-InputWrapper-root').filter({ has: page.getByLabel(named(label)) })
    const said = await refused.locator('.mantine-InputWrapper-error').textContent()
    assert.match(said ?? '', words, `${path}: ${label}`)
    await becomes(
      async () => (await descriptionOf(field(label))).includes(said ?? ''),
      true,
      `${path}: a screen reader says it at ${label}`,
    )
    // A field that holds many things names the one it means; the form's foot would word that differently.
    const again = form.getByRole('alert').filter({ hasText: said?.replace(/^At \S+: /, '') ?? '' })
    await becomes(() => again.count(), 0, `${path}: what is said at ${label} is said once`)
  }
  for (const [label, text] of Object.entries(fields)) {
    await becomes(() => textIn(field(label)), text, `${path}: ${label}`)
  }
  await assertHarmless(page)
}

export async function assertHarmless(page: Page): Promise<void> {
  assert.equal(await page.evaluate('globalThis.struck'), undefined, page.url())
  assert.equal(await page.locator('img[src=x]').count(), 0, page.url())
}

/** A label may have an asterisk. */
function named(label: string): RegExp {
  return new RegExp(`^${label.replace(/[/()]/g, '\\$&')}\\s*\\*?$`)
}

/** What is said about a field, and about the group it is in. */
function descriptionOf(field: Locator): Promise<string> {
  return field.evaluate((element) =>
    [element, element.closest('[role=group]')]
      .flatMap((one) => (one?.getAttribute('aria-describedby') ?? '').split(' '))
      .map((id) => element.ownerDocument.getElementById(id)?.textContent)
      .join(' '),
  )
}

/** A code editor is not an input. */
function textIn(field: Locator): Promise<string | null> {
  return field.evaluate((element) => ('value' in element ? String(element.value) : element.textContent))
}
