import type { DeliveryIdSource, PresetName } from '../contract.ts'
import type { Scheme } from './scheme.ts'

/** What a sender does, as data. Several schemes mean that the sender has several ways to sign. */
export type Preset = {
  label: string
  schemes: readonly Scheme[]
  /** Where the sender puts its delivery id; the first one found counts. */
  deliveryIds: readonly DeliveryIdSource[]
  handshake?: 'slack' | 'github' | 'discord' | 'head'
  /**
   * The receipt that the sender itself, known by the beginning of its User-Agent, expects instead of our JSON: no body, or a
   * TwiML document.
   */
  receipt?: { form: 'none' | 'twiml'; agent: string }
  /** The sender posts `application/x-www-form-urlencoded`: a `payload` field with JSON, or plain fields. */
  form?: 'payload' | 'fields'
  /** The operator may choose another header than the usual one. */
  headerIsConfigurable?: true
}

const hmacOfBody = {
  algorithm: 'hmac-sha256',
  keyEncoding: 'utf-8',
  encoding: 'hex',
  template: '{body}',
} as const

const standardWebhooks = (family: 'webhook' | 'svix'): Scheme[] => {
  const common = {
    keyEncoding: 'base64',
    header: `${family}-signature`,
    encoding: 'base64',
    template: `{header:${family}-id}.{ts}.{body}`,
    timestamp: { from: 'header', header: `${family}-timestamp`, unit: 's' },
    toleranceSeconds: 300,
  } as const
  const list = { separator: ' ', between: ',' } as const
  return [
    { ...common, algorithm: 'hmac-sha256', keyPrefix: 'whsec_', list: { ...list, key: 'v1' } },
    { ...common, algorithm: 'ed25519', keyPrefix: 'whpk_', list: { ...list, key: 'v1a' } },
  ]
}

const atlassian = {
  schemes: [{ ...hmacOfBody, header: 'X-Hub-Signature', prefix: 'sha256=' }],
  deliveryIds: [{ header: 'X-Atlassian-Webhook-Identifier' }, { header: 'X-Request-UUID' }],
} as const

const standard = {
  schemes: [...standardWebhooks('webhook'), ...standardWebhooks('svix')],
  deliveryIds: [{ header: 'webhook-id' }, { header: 'svix-id' }],
} as const

/** Each row follows the sender's published description of its signature. */
export const presets: Readonly<Record<PresetName, Preset>> = {
  standard_webhooks: { label: 'Standard Webhooks', ...standard },
  svix: { label: 'Svix', ...standard },
  github: {
    label: 'GitHub',
    schemes: [{ ...hmacOfBody, header: 'X-Hub-Signature-256', prefix: 'sha256=' }],
    deliveryIds: [{ header: 'X-GitHub-Delivery' }],
    handshake: 'github',
    form: 'payload',
  },
  gitlab: {
    label: 'GitLab',
    schemes: [
      { ...hmacOfBody, algorithm: 'equality', header: 'X-Gitlab-Token', template: '' },
      ...standardWebhooks('webhook').slice(0, 1),
    ],
    // The key is the same for each try of one delivery; the UUID is new each time, or shared by a chain of hooks.
    deliveryIds: [{ header: 'webhook-id' }, { header: 'Idempotency-Key' }, { header: 'X-Gitlab-Event-UUID' }],
  },
  stripe: {
    label: 'Stripe',
    schemes: [
      {
        ...hmacOfBody,
        header: 'Stripe-Signature',
        list: { separator: ',', between: '=', key: 'v1' },
        template: '{ts}.{body}',
        timestamp: { from: 'list', key: 't', unit: 's' },
        toleranceSeconds: 300,
      },
    ],
    deliveryIds: [{ pointer: '/id' }],
  },
  slack: {
    label: 'Slack',
    schemes: [
      {
        ...hmacOfBody,
        header: 'X-Slack-Signature',
        prefix: 'v0=',
        template: 'v0:{ts}:{body}',
        timestamp: { from: 'header', header: 'X-Slack-Request-Timestamp', unit: 's' },
        toleranceSeconds: 300,
      },
    ],
    deliveryIds: [{ pointer: '/event_id' }],
    handshake: 'slack',
    form: 'payload',
  },
  shopify: {
    label: 'Shopify',
    // Its newer Events use the same values under names without the X.
    schemes: [
      { ...hmacOfBody, header: 'X-Shopify-Hmac-Sha256', encoding: 'base64' },
      { ...hmacOfBody, header: 'Shopify-Hmac-Sha256', encoding: 'base64' },
    ],
    deliveryIds: [{ header: 'X-Shopify-Webhook-Id' }, { header: 'Shopify-Webhook-Id' }],
  },
  linear: {
    label: 'Linear',
    schemes: [
      {
        ...hmacOfBody,
        header: 'Linear-Signature',
        timestamp: { from: 'body', pointer: '/webhookTimestamp', unit: 'ms' },
        toleranceSeconds: 60,
      },
    ],
    deliveryIds: [{ header: 'Linear-Delivery' }],
  },
  twilio: {
    label: 'Twilio',
    schemes: [
      {
        ...hmacOfBody,
        algorithm: 'hmac-sha1',
        header: 'X-Twilio-Signature',
        encoding: 'base64',
        template: '{url}{form}',
        bodyHashQuery: 'bodySHA256',
      },
    ],
    deliveryIds: [{ header: 'I-Twilio-Idempotency-Token' }],
    form: 'fields',
    receipt: { form: 'twiml', agent: 'TwilioProxy/' },
  },
  pagerduty: {
    label: 'PagerDuty',
    schemes: [
      {
        ...hmacOfBody,
        header: 'X-PagerDuty-Signature',
        list: { separator: ',', between: '=', key: 'v1' },
      },
    ],
    deliveryIds: [{ pointer: '/event/id' }],
  },
  sentry: {
    label: 'Sentry',
    schemes: [{ ...hmacOfBody, header: 'Sentry-Hook-Signature' }],
    deliveryIds: [{ header: 'Request-ID' }],
  },
  grafana: {
    label: 'Grafana 12 or later',
    schemes: [{ ...hmacOfBody, header: 'X-Grafana-Alerting-Signature' }],
    deliveryIds: [],
    headerIsConfigurable: true,
  },
  zendesk: {
    label: 'Zendesk',
    schemes: [
      {
        ...hmacOfBody,
        header: 'X-Zendesk-Webhook-Signature',
        encoding: 'base64',
        template: '{ts}{body}',
        timestamp: { from: 'header', header: 'X-Zendesk-Webhook-Signature-Timestamp', unit: 'iso' },
        toleranceSeconds: 300,
      },
    ],
    deliveryIds: [{ header: 'X-Zendesk-Webhook-Invocation-Id' }],
  },
  hubspot: {
    label: 'HubSpot',
    schemes: [
      {
        ...hmacOfBody,
        header: 'X-HubSpot-Signature-V3',
        encoding: 'base64',
        template: '{method}{url}{body}{ts}',
        timestamp: { from: 'header', header: 'X-HubSpot-Request-Timestamp', unit: 'ms' },
        toleranceSeconds: 300,
      },
    ],
    deliveryIds: [],
  },
  intercom: {
    label: 'Intercom',
    schemes: [{ ...hmacOfBody, algorithm: 'hmac-sha1', header: 'X-Hub-Signature', prefix: 'sha1=' }],
    deliveryIds: [{ pointer: '/id' }],
    handshake: 'head',
  },
  jira: { label: 'Jira', ...atlassian },
  bitbucket: { label: 'Bitbucket', ...atlassian },
  discord: {
    label: 'Discord',
    schemes: [
      {
        algorithm: 'ed25519',
        keyEncoding: 'hex',
        header: 'X-Signature-Ed25519',
        encoding: 'hex',
        template: '{ts}{body}',
        timestamp: { from: 'header', header: 'X-Signature-Timestamp', unit: 's' },
        toleranceSeconds: 300,
      },
    ],
    deliveryIds: [{ pointer: '/id' }],
    handshake: 'discord',
    receipt: { form: 'none', agent: 'Discord-Webhook/' },
  },
  shared_secret: {
    label: 'Shared secret in a header',
    schemes: [{ ...hmacOfBody, algorithm: 'equality', header: 'X-Webhook-Secret', template: '' }],
    deliveryIds: [],
    headerIsConfigurable: true,
  },
  generic: {
    label: 'Another signature',
    // Defaults for a form; the operator's settings replace each field.
    schemes: [{ ...hmacOfBody, header: 'X-Signature' }],
    deliveryIds: [],
    headerIsConfigurable: true,
  },
}
