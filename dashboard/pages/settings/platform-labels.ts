import type { ExternalPlatform, WorkspaceInput } from '../../contract.ts'

export type FieldName = Exclude<keyof WorkspaceInput, 'name'>

type Labels = {
  label: string
  beta: boolean
  secrets: FieldName[]
  settings: FieldName[]
  /** Messages arrive over a connection that Bellhop opens and keeps. */
  usesSocket?: true
  /** What to do on the platform's own pages. */
  steps: string[]
  /** Fields with another name here. */
  fields?: Partial<Record<FieldName, string>>
}

export const platformLabels: Record<ExternalPlatform, Labels> = {
  slack: {
    label: 'Slack',
    beta: false,
    secrets: ['botToken', 'signingSecret'],
    settings: ['apiUrl'],
    steps: [
      'On api.slack.com/apps choose Create New App, From a manifest, and paste the manifest.',
      'Install the app, then copy the Bot User OAuth Token (xoxb-…, on the page OAuth & Permissions) and the Signing Secret (on the page Basic Information) into this page.',
      'Save & connect here. If Slack asks for it on the page Event Subscriptions, press Retry beside the Request URL there.',
      'Invite the app with /invite to the private channels, and to those where people should call it. Public channels that it posts to it joins by itself.',
    ],
  },
  telegram: {
    label: 'Telegram',
    beta: true,
    secrets: ['botToken'],
    settings: ['apiUrl'],
    steps: [
      'Talk to @BotFather, make a bot with /newbot and paste its token here.',
      'Link your own account: get a link code in Settings, Your account, Chat accounts, and send it to the bot in a direct message. Everybody in the world can find a bot; it answers those who are linked.',
      'Add the bot to your group and mention it there once. From then on it answers everybody in this group who mentions it or replies to it.',
    ],
  },
  discord: {
    label: 'Discord',
    beta: true,
    usesSocket: true,
    secrets: ['botToken'],
    settings: ['applicationId', 'publicKey', 'apiUrl'],
    steps: [
      'On discord.com/developers/applications make an application. Copy its Application ID and Public Key into this page.',
      'On its page Installation set Install Link to None, and on the page Bot switch off Public Bot, so that nobody else adds the bot to a server of theirs.',
      'On the page Bot choose Reset Token and copy the token into this page. Switch on the Message Content Intent there: without it, Discord hides what is said in threads.',
      'Save & connect here, then set Interactions Endpoint URL on the page General Information to the address for events. Buttons and the command /bellhop come through it; messages come over a connection that Bellhop opens.',
      'On the page OAuth2 make a URL with the scopes bot and applications.commands and the permissions View Channels, Send Messages, Create Public Threads, Send Messages in Threads and Read Message History. Open it and add the bot to your server.',
      'Press Read the channels again here, and give the bot access to private channels that it should post to.',
    ],
  },
  mattermost: {
    label: 'Mattermost',
    beta: true,
    usesSocket: true,
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
      'In the Azure portal create an Azure Bot of the type Single Tenant. On its page Configuration set Messaging endpoint to the address for events, and copy Microsoft App ID and App Tenant ID into this page.',
      'Behind Manage Password make a client secret and copy its value (not its id) into this page. On the page Channels add Microsoft Teams.',
      'On dev.teams.microsoft.com make an app. Under App features add Bot with the same App ID, for Personal, Team and Group chat. Under Permissions add the team permission ChannelMessage.Read.Group: without it Teams passes on only what mentions the bot.',
      'Publish the app to your organisation (or upload it for yourself) and add it to a team. Its channels are known here then.',
    ],
  },
  'google-chat': {
    label: 'Google Chat',
    beta: true,
    secrets: ['serviceAccount'],
    settings: ['projectNumber', 'apiUrl'],
    steps: [
      'In a project of console.cloud.google.com switch on the Google Chat API. Copy the number of the project (not its id) into this page.',
      'Under IAM & Admin, Service Accounts make an account and, on its page Keys, a JSON key. Paste the key here. It needs no role.',
      'On the page Configuration of the Google Chat API give the app a name, an avatar and a description, switch on Interactive features and Join spaces and group conversations, choose HTTP endpoint URL and enter the address for events, for all triggers. Where it asks for an Authentication Audience, choose Project Number.',
      'Make the app visible to your people and add it to a space in Google Chat: @ and its name.',
    ],
  },
}

/** Fields without an entry are shown by their own name. */
export const fieldLabels: Partial<Record<FieldName, string>> = {
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
