import assert from 'node:assert/strict'
import { brandNamed } from '../../dashboard/ui/logos/brands.ts'
import { verifies } from '../support/verifies.ts'

verifies(
  'dashboard:logos',
  'a name has the logo of the service that it names, not of one whose name it uses as an everyday word',
  () => {
    const named: [string, string | null][] = [
      ['GitHub pull requests', 'github'],
      ['Failed Stripe payments', 'stripe'],
      ['Alertmanager critical', 'prometheus'],
      ['Githubber', null],
      ['Linear', 'linear'],
      ['Linear issues', 'linear'],
      ['Triage: Sentry errors', 'sentry'],
      ['Everything from Notion', 'notion'],
      ['Linear regression', null],
      ['Notion of risk', null],
      ['Resend unpaid invoices', null],
      ['Sentry duty at night', null],
      ['', null],
    ]
    for (const [name, brand] of named) assert.equal(brandNamed(name), brand, name)
  },
)
