import type { PresetName } from '../../contract.ts'

type Labels = {
  label: string
  /** What the sender calls the secret, and where it is found. */
  secret: string
  /** The operator may name the header. */
  header?: string
  /** The operator gives it to both sides, so it can be generated here. */
  ours?: true
}

/** In each sender's own terms, so that what their page shows can be found on ours. */
export const presetLabels: Record<PresetName, Labels> = {
  shared_secret: {
    label: 'Shared secret in a header',
    secret: 'Any long random text that the sender puts into the header.',
    header: 'X-Webhook-Secret',
    ours: true,
  },
  github: {
    label: 'GitHub',
    secret: 'The text entered as Secret on the webhook page of the repository.',
    ours: true,
  },
  gitlab: {
    label: 'GitLab',
    secret: 'The signing token (whsec_…) or the Secret token on the Webhooks page of the project.',
    ours: true,
  },
  stripe: {
    label: 'Stripe',
    secret: 'The signing secret of the endpoint, whole, with its whsec_ at the front.',
  },
  slack: { label: 'Slack', secret: 'The Signing Secret under Basic Information of the Slack app.' },
  shopify: {
    label: 'Shopify',
    secret: 'The client secret of the app, or the key under Notifications → Webhooks.',
  },
  linear: { label: 'Linear', secret: 'The signing secret on the detail page of the webhook.' },
  twilio: { label: 'Twilio', secret: 'The Auth Token of the account.' },
  pagerduty: { label: 'PagerDuty', secret: 'The secret shown once when the webhook subscription was made.' },
  sentry: { label: 'Sentry', secret: 'The Client Secret of the integration.' },
  grafana: {
    label: 'Grafana 12 or later',
    secret: 'The text entered as Secret under HMAC Signature of the contact point.',
    header: 'X-Grafana-Alerting-Signature',
    ours: true,
  },
  zendesk: { label: 'Zendesk', secret: 'The signing secret under Reveal secret on the page of the webhook.' },
  hubspot: { label: 'HubSpot', secret: 'The client secret of the HubSpot app.' },
  intercom: { label: 'Intercom', secret: 'The client secret under Basic information of the Intercom app.' },
  jira: { label: 'Jira', secret: 'The text entered as Secret on the page of the webhook.', ours: true },
  bitbucket: {
    label: 'Bitbucket',
    secret: 'The text entered as Secret on the page of the webhook.',
    ours: true,
  },
  discord: {
    label: 'Discord',
    secret: 'The Public Key under General Information of the Discord application.',
  },
  standard_webhooks: {
    label: 'Standard Webhooks',
    secret: 'The signing secret that starts with whsec_, or the public key that starts with whpk_.',
  },
  svix: { label: 'Svix', secret: 'The signing secret that starts with whsec_.' },
  generic: {
    label: 'Another signature',
    secret: 'The key that the sender signs with.',
    header: 'X-Signature',
    ours: true,
  },
}

export function presetLabel(preset: string): string {
  return preset in presetLabels ? presetLabels[preset as PresetName].label : preset // `in` above proves the key
}
