import type { OutsidePlatform, WorkspaceInput } from '../../contract.ts'

export type FieldName = Exclude<keyof WorkspaceInput, 'name'>

type Words = {
  label: string
  beta: boolean
  secrets: FieldName[]
  settings: FieldName[]
  /** Messages come over a connection that Bellhop opens and holds. */
  standing?: true
  /** What to do on the platform's own pages. */
  steps: string[]
  /** Fields that are called otherwise here. */
  fields?: Partial<Record<FieldName, string>>
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
    standing: true,
    secrets: ['botToken'],
    settings: ['applicationId', 'publicKey', 'apiUrl'],
    steps: [
      'On discord.com/developers/applications make an application. Copy its Application ID and Public Key into this page.',
      'On its page Bot choose Reset Token and copy the token into this page. Switch on the Message Content Intent there: without it, Discord hides what is said in threads.',
      'Save & connect here, then set Interactions Endpoint URL on the page General Information to the address for events. Buttons and the command /bellhop come through it; messages come over a connection that Bellhop opens.',
      'On the page OAuth2 make a URL with the scopes bot and applications.commands and the permissions View Channels, Send Messages, Create Public Threads, Send Messages in Threads and Read Message History. Open it and add the bot to your server.',
      'Press Read the channels again here, and give the bot access to private channels that it should post to.',
    ],
  },
  mattermost: {
    label: 'Mattermost',
    beta: true,
    standing: true,
    secrets: ['botToken'],
    settings: ['apiUrl'],
    fields: { apiUrl: 'Server address, like https://chat.example.com' },
    steps: [
      'As a system admin switch on System Console, Integrations, Bot Accounts.',
      'In Integrations, Bot Accounts add a bot with the role Member and copy its token into this page, with the address of your server.',
      'Add the bot to your team and to the channels that it should read and post to. It needs no further permission; with post:all it can also show refusals to one person alone instead of in a direct message.',
      'Buttons are sent to the address for events. If that is an address of your own network, add its host in System Console, Environment, Developer, Allow untrusted internal connections.',
      'If the server itself has an address of your own network, name it in EGRESS_PRIVATE_EXCEPTIONS where Bellhop runs.',
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
