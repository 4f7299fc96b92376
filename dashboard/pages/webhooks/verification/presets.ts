import type { PresetName } from '../../../contract.ts'

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
    secret: 'Any long random text that the sender puts in the header.',
    header: 'X-Webhook-Secret',
    ours: true,
  },
  github: {
    label: 'GitHub',
    secret: 'The Secret from the webhook settings of the repository.',
    ours: true,
  },
  gitlab: {
    label: 'GitLab',
    secret: 'The signing token (whsec_…) or Secret token from the Webhooks page of the project.',
    ours: true,
  },
  stripe: {
    label: 'Stripe',
    secret: 'The signing secret of the endpoint, including whsec_.',
  },
  slack: { label: 'Slack', secret: 'The Signing Secret under Basic Information in the Slack app settings.' },
  shopify: {
    label: 'Shopify',
    secret: 'The client secret of the app, or the key under Notifications → Webhooks.',
  },
  linear: { label: 'Linear', secret: 'The signing secret from the webhook detail page.' },
  twilio: { label: 'Twilio', secret: 'The Auth Token of the account.' },
  pagerduty: {
    label: 'PagerDuty',
    secret: 'The secret shown once when you created the webhook subscription.',
  },
  sentry: { label: 'Sentry', secret: 'The Client Secret of the integration.' },
  grafana: {
    label: 'Grafana 12 or later',
    secret: 'The Secret under HMAC Signature in the contact point settings.',
    header: 'X-Grafana-Alerting-Signature',
    ours: true,
  },
  zendesk: { label: 'Zendesk', secret: 'The signing secret under Reveal secret on the webhook page.' },
  hubspot: { label: 'HubSpot', secret: 'The client secret of the HubSpot app.' },
  intercom: {
    label: 'Intercom',
    secret: 'The client secret under Basic information in the Intercom app settings.',
  },
  jira: { label: 'Jira', secret: 'The Secret from the webhook settings.', ours: true },
  bitbucket: {
    label: 'Bitbucket',
    secret: 'The Secret from the webhook settings.',
    ours: true,
  },
  discord: {
    label: 'Discord',
    secret: 'The Public Key under General Information in the Discord application.',
  },
  standard_webhooks: {
    label: 'Standard Webhooks',
    secret: 'The signing secret that starts with whsec_, or the public key that starts with whpk_.',
  },
  svix: { label: 'Svix', secret: 'The signing secret that starts with whsec_.' },
  generic: {
    label: 'Custom signature',
    secret: 'The key the sender signs with.',
    header: 'X-Signature',
    ours: true,
  },
}

export function presetLabel(preset: string): string {
  return preset in presetLabels ? presetLabels[preset as PresetName].label : preset // `in` above proves the key
}

/** Whether the operator gives the secret to both sides, so that it is there before the sender knows the URL. */
export function isOurs(preset: string): boolean {
  return preset in presetLabels && presetLabels[preset as PresetName].ours === true // as above
}
