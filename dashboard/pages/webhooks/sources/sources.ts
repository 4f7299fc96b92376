import { type Icon, IconTerminal2 } from '@tabler/icons-react'
import type { PresetName } from '../../../contract.ts'
import type { BrandName } from '../../../ui/logos/brands.ts'

/** One thing to do at the sender. `{url}` is copied as the webhook's URL; other texts as they are. */
type Step = { text: string; copy?: string }

export type Source = {
  id: string
  label: string
  /** What its events are about. */
  kind: string
  picture: BrandName | Icon
  preset: PresetName | null
  name: string
  prompt: string
  /** As the sender sends it, without what no prompt needs. */
  sample: object
  threadKey?: string
  steps: Step[]
}

/** In the terms of each sender, so that what its page shows is found on ours. */
export const sources: readonly Source[] = [
  {
    id: 'github',
    label: 'GitHub',
    kind: 'Pull requests',
    picture: 'github',
    preset: 'github',
    name: 'GitHub pull requests',
    prompt:
      'Say in two lines what happened to the pull request: number, title, author and state. Name what a reviewer should look at first.',
    threadKey: '{/repository/full_name}#{/pull_request/number}',
    sample: {
      action: 'opened',
      number: 42,
      pull_request: {
        number: 42,
        title: 'Retry failed payments once',
        html_url: 'https://github.com/acme/shop/pull/42',
        user: { login: 'mia' },
        draft: false,
        additions: 120,
        deletions: 14,
        changed_files: 5,
      },
      repository: { full_name: 'acme/shop' },
      sender: { login: 'mia', type: 'User' },
    },
    steps: [
      { text: 'In the repository, open Settings → Webhooks → Add webhook.' },
      { text: 'Payload URL:', copy: '{url}' },
      { text: 'Content type:', copy: 'application/json' },
      { text: 'Secret: the one you entered here under Verification.' },
      { text: 'Choose “Let me select individual events”, then Pull requests. Save.' },
    ],
  },
  {
    id: 'stripe',
    label: 'Stripe',
    kind: 'Payments',
    picture: 'stripe',
    preset: 'stripe',
    name: 'Stripe payments',
    prompt:
      'Say what happened to the payment: amount with currency, customer and reason. If a payment failed, suggest what to do next.',
    sample: {
      id: 'evt_1PqX2eLkdIwHu7ix',
      type: 'invoice.payment_failed',
      created: 1_763_456_000,
      data: {
        object: {
          id: 'in_1PqX2d',
          customer: 'cus_Q8s',
          customer_email: 'buyer@example.com',
          amount_due: 2720,
          currency: 'eur',
          attempt_count: 2,
        },
      },
      livemode: true,
    },
    steps: [
      { text: 'In the Stripe dashboard, open Workbench → Webhooks → Add destination.' },
      { text: 'Choose events such as invoice.payment_failed, then Webhook endpoint.' },
      { text: 'Endpoint URL:', copy: '{url}' },
      { text: 'Reveal the signing secret (whsec_…) and enter it below.' },
    ],
  },
  {
    id: 'grafana',
    label: 'Grafana',
    kind: 'Alerts',
    picture: 'grafana',
    preset: 'grafana',
    name: 'Grafana alerts',
    prompt:
      'Say which alert fired or was resolved, since when, and the values. If a runbook is linked, name its first step.',
    threadKey: '/groupKey',
    sample: {
      status: 'firing',
      groupKey: '{alertname="HighErrorRate"}',
      commonLabels: { alertname: 'HighErrorRate', service: 'checkout', severity: 'critical' },
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'HighErrorRate', service: 'checkout' },
          annotations: { summary: '5 % of requests fail', runbook_url: 'https://wiki.example.com/checkout' },
          startsAt: '2026-11-18T08:24:00Z',
          values: { A: 0.052 },
        },
      ],
    },
    steps: [
      { text: 'Open Alerting → Contact points → Add contact point and choose Webhook.' },
      { text: 'URL:', copy: '{url}' },
      {
        text: 'Under HMAC Signature, enter the secret you entered here. Header:',
        copy: 'X-Grafana-Alerting-Signature',
      },
      { text: 'Save, then use the contact point in a notification policy.' },
    ],
  },
  {
    id: 'alertmanager',
    label: 'Alertmanager',
    kind: 'Alerts',
    picture: 'prometheus',
    preset: null,
    name: 'Alertmanager',
    prompt: 'Say which alerts fire or are resolved, since when, and for which service. Group equal ones.',
    threadKey: '/groupKey',
    sample: {
      version: '4',
      groupKey: '{}:{alertname="InstanceDown"}',
      status: 'firing',
      receiver: 'bellhop',
      commonLabels: { alertname: 'InstanceDown', severity: 'page' },
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'InstanceDown', instance: 'db-1:9100' },
          annotations: { summary: 'db-1 is down' },
          startsAt: '2026-11-18T08:24:00Z',
        },
      ],
    },
    steps: [
      { text: 'In alertmanager.yml, add a receiver with webhook_configs and this url:', copy: '{url}' },
      { text: 'Use the receiver in a route, and reload Alertmanager.' },
      {
        text: 'Alertmanager does not sign. To verify deliveries anyway, choose the shared secret under Settings → Verification, with the header Authorization.',
      },
    ],
  },
  {
    id: 'sentry',
    label: 'Sentry',
    kind: 'Errors',
    picture: 'sentry',
    preset: 'sentry',
    name: 'Sentry issues',
    prompt: 'Say what broke: title, project, how often and since when. Suggest where to look first.',
    threadKey: '/data/issue/id',
    sample: {
      action: 'created',
      data: {
        issue: {
          id: '1170820242',
          title: 'TypeError: Cannot read properties of undefined',
          culprit: 'checkout in total',
          level: 'error',
          count: '12',
          project: { slug: 'shop' },
          web_url: 'https://acme.sentry.io/issues/1170820242/',
        },
      },
    },
    steps: [
      { text: 'Open Settings → Custom Integrations → Create New Integration → Internal.' },
      { text: 'Webhook URL:', copy: '{url}' },
      { text: 'Under Webhooks, choose issue. Save.' },
      { text: 'Copy the Client Secret and enter it below.' },
    ],
  },
  {
    id: 'pagerduty',
    label: 'PagerDuty',
    kind: 'Incidents',
    picture: 'pagerduty',
    preset: 'pagerduty',
    name: 'PagerDuty incidents',
    prompt: 'Say what the incident is, how urgent, who has it and since when.',
    threadKey: '/event/data/id',
    sample: {
      event: {
        id: '01DFWB',
        event_type: 'incident.triggered',
        occurred_at: '2026-11-18T08:24:00Z',
        data: {
          id: 'PGR0VU2',
          title: 'Checkout is slow',
          urgency: 'high',
          status: 'triggered',
          service: { summary: 'Checkout' },
          assignees: [{ summary: 'On-call' }],
        },
      },
    },
    steps: [
      { text: 'Open Integrations → Generic Webhooks (v3) → New Webhook.' },
      { text: 'Webhook URL:', copy: '{url}' },
      { text: 'Choose the incident events. Save.' },
      { text: 'PagerDuty shows the secret once. Enter it below.' },
    ],
  },
  {
    id: 'shopify',
    label: 'Shopify',
    kind: 'Orders',
    picture: 'shopify',
    preset: 'shopify',
    name: 'Shopify orders',
    prompt: 'Summarize the order in two lines: number, total, items. Point out anything unusual.',
    sample: {
      id: 820_982_911,
      name: '#1042',
      total_price: '129.50',
      currency: 'EUR',
      financial_status: 'paid',
      email: 'buyer@example.com',
      line_items: [{ title: 'Reception bell', quantity: 2, price: '64.75' }],
    },
    steps: [
      { text: 'Open Settings → Notifications → Webhooks → Create webhook.' },
      { text: 'Event: Order creation. Format: JSON. URL:', copy: '{url}' },
      { text: 'Copy the signing key under the list and enter it below.' },
    ],
  },
  {
    id: 'jira',
    label: 'Jira',
    kind: 'Issues',
    picture: 'jira',
    preset: 'jira',
    name: 'Jira issues',
    prompt: 'Say what changed in the issue: key, summary, status and assignee.',
    threadKey: '/issue/key',
    sample: {
      webhookEvent: 'jira:issue_updated',
      user: { displayName: 'Mia' },
      issue: {
        key: 'SHOP-7',
        fields: {
          summary: 'Refund fails for split payments',
          status: { name: 'In Progress' },
          priority: { name: 'High' },
        },
      },
      changelog: { items: [{ field: 'status', fromString: 'To Do', toString: 'In Progress' }] },
    },
    steps: [
      { text: 'Open Settings → System → WebHooks → Create a WebHook.' },
      { text: 'URL:', copy: '{url}' },
      { text: 'Secret: the one you entered here under Verification.' },
      { text: 'Choose the issue events. Create.' },
    ],
  },
  {
    id: 'script',
    label: 'A script',
    kind: 'Your own code',
    picture: IconTerminal2,
    preset: null,
    name: 'Nightly backup',
    prompt: 'Say in one line whether the job went well. If not, name the error and the likely cause.',
    sample: { job: 'backup', host: 'db-1', ok: false, seconds: 412, error: 'disk full on /backup' },
    steps: [
      { text: 'Post JSON to the URL:', copy: '{url}' },
      { text: 'Ready code for curl, Node, Python and GitHub Actions is below.' },
    ],
  },
]
