import type { OutsidePlatform, WorkspaceInput } from '../../../src/chat/workspaces/contract.ts'

export type FieldName = Exclude<keyof WorkspaceInput, 'name'>

type Words = {
  label: string
  beta: boolean
  secrets: FieldName[]
  settings: FieldName[]
  /** What to do on the platform's own pages. */
  steps: string[]
}

export const platformWords: Record<OutsidePlatform, Words> = {
  slack: {
    label: 'Slack',
    beta: false,
    secrets: ['botToken', 'signingSecret'],
    settings: ['apiUrl'],
    steps: [
      'On api.slack.com/apps choose Create New App, From a manifest, and paste the manifest.',
      'Install the app, then copy the Bot User OAuth Token (xoxb-…) and the Signing Secret into this page.',
      'Invite the app to the channels it should post to.',
    ],
  },
  telegram: {
    label: 'Telegram',
    beta: true,
    secrets: ['botToken'],
    settings: ['apiUrl'],
    steps: ['Talk to @BotFather, make a bot and paste its token here.', 'Add the bot to your group.'],
  },
  discord: {
    label: 'Discord',
    beta: true,
    secrets: ['botToken'],
    settings: ['applicationId', 'publicKey', 'apiUrl'],
    steps: [
      'On the Developer Portal make an application with a bot.',
      'Copy the application id, the public key and the bot token into this page.',
      'Set the Interactions Endpoint URL to the address for events.',
    ],
  },
  teams: {
    label: 'Microsoft Teams',
    beta: true,
    secrets: ['appPassword'],
    settings: ['appId', 'tenantId', 'serviceUrl'],
    steps: [
      'Register a bot in Azure and give it the address for events as its messaging endpoint.',
      'Copy its app id, tenant and client secret into this page.',
    ],
  },
  'google-chat': {
    label: 'Google Chat',
    beta: true,
    secrets: ['serviceAccount'],
    settings: ['projectNumber', 'apiUrl'],
    steps: [
      'Switch on the Google Chat API of a project and set the address for events as its HTTP endpoint.',
      'Make a service account with a JSON key and paste the key here.',
    ],
  },
}

/** Fields without words of their own are called by their name. */
export const fieldWords: Partial<Record<FieldName, string>> = {
  botToken: 'Bot token',
  signingSecret: 'Signing secret',
  appPassword: 'Client secret',
  serviceAccount: 'Service account key (JSON)',
  applicationId: 'Application id',
  publicKey: 'Public key',
  appId: 'App id',
  tenantId: 'Tenant id',
  projectNumber: 'Project number',
  apiUrl: 'API address (only for a proxy or an emulator)',
  serviceUrl: 'Service URL',
}
