import type { ExternalPlatform, WorkspaceInput } from '../../../contract.ts'

export type FieldName = Exclude<keyof WorkspaceInput, 'name'>

type Labels = {
  label: string
  beta: boolean
  secrets: FieldName[]
  settings: FieldName[]
  /** What to do on the platform's own pages, for `StepText`. */
  steps: string[]
  /** The same over a connection that Bellhop opens, where there is a choice. */
  socketSteps?: string[]
  /** What the code for this platform was tested against. */
  testedWith: string
  /** Why the agent cannot read a thread that others began. */
  unreadThreads?: string
  /** Fields with another name here. */
  fields?: Partial<Record<FieldName, string>>
}

export const platformLabels: Record<ExternalPlatform, Labels> = {
  slack: {
    label: 'Slack',
    beta: false,
    secrets: ['botToken', 'appToken', 'signingSecret'],
    settings: ['connection', 'apiUrl'],
    testedWith: 'a Slack emulator, and for Socket Mode a server that Slack’s own client accepts',
    socketSteps: [
      'Click Create the app in Slack, choose your workspace and confirm.',
      'On the [page of the app](https://api.slack.com/apps), under Basic Information → App-Level Tokens, generate a token with the scope `connections:write`. Copy it (xapp-…) into the form below.',
      'Under Install App, install the app. Copy the Bot User OAuth Token (xoxb-…) into the form below.',
      'Click Save & connect. Bellhop opens the connection, so Slack needs no address of yours.',
      'Use `/invite` to add the app to private channels and to channels where people should mention it. It joins public channels automatically when it first posts there.',
    ],
    steps: [
      'Click Create the app in Slack, choose your workspace and confirm.',
      'On the [page of the app](https://api.slack.com/apps), install the app. Copy the Bot User OAuth Token (xoxb-…, under OAuth & Permissions) and the Signing Secret (under Basic Information) into the form below.',
      'Click Save & connect. If Slack shows an error under Event Subscriptions, click Retry next to the Request URL.',
      'Use `/invite` to add the app to private channels and to channels where people should mention it. It joins public channels automatically when it first posts there.',
    ],
  },
  telegram: {
    label: 'Telegram',
    beta: true,
    secrets: ['botToken'],
    settings: ['apiUrl'],
    testedWith: 'a server that answers like Telegram’s Bot API',
    unreadThreads:
      'Of a conversation that others began, the agent reads only the message that is replied to: Telegram shows bots no earlier messages.',
    steps: [
      'In Telegram, message [@BotFather](https://t.me/BotFather), create a bot with `/newbot` and paste its token below.',
      'Link your own account: create a code under Settings → Your account → Chat accounts and send it to the bot in a direct message. Anyone can find a Telegram bot, so it replies only to linked people.',
      'Add the bot to your group and mention it once. From then on, it replies to everyone in the group who mentions it or replies to it.',
    ],
  },
  discord: {
    label: 'Discord',
    beta: true,
    testedWith: 'a server that answers like Discord’s REST API and gateway',
    secrets: ['botToken'],
    settings: ['applicationId', 'publicKey', 'apiUrl'],
    steps: [
      'In the [Discord Developer Portal](https://discord.com/developers/applications), create an application. Copy its Application ID and Public Key into the form below.',
      'Under Installation, set Install Link to None. Under Bot, turn off Public Bot, so that nobody else can add the bot to their server.',
      'Under Bot, choose Reset Token and copy the token into the form below. Turn on Message Content Intent there. Without it, Discord hides messages in threads.',
      'Click Save & connect. Then, under General Information, set Interactions Endpoint URL to `{eventsUrl}`. Discord uses it for buttons and the /bellhop command; messages arrive over a connection that Bellhop opens.',
      '[Add the bot to your server](https://discord.com/oauth2/authorize?client_id={applicationId}&scope=bot+applications.commands&permissions=309237746688). The link is ready once the Application ID is entered below. It asks for the scopes bot and applications.commands and the permissions View Channels, Send Messages, Create Public Threads, Send Messages in Threads, Attach Files and Read Message History.',
      'Click Refresh channels here, and give the bot access to the private channels it should post to.',
    ],
  },
  mattermost: {
    label: 'Mattermost',
    beta: true,
    testedWith: 'a server that answers like Mattermost’s REST and WebSocket API',
    secrets: ['botToken'],
    settings: ['apiUrl'],
    fields: { apiUrl: 'Server URL, e.g. https://chat.example.com' },
    steps: [
      'As a system admin, turn on System Console → Integrations → Bot Accounts.',
      'Under Integrations → Bot Accounts, add a bot with the role Member. Enter its token and your server URL below.',
      'Add the bot to your team and to the channels it should read and post to. It needs no other permissions. With post:all, it can show a refusal to one person in the channel instead of in a direct message.',
      'Mattermost sends button clicks to `{eventsUrl}`. If that is on a private network, add its host under System Console → Environment → Developer → Allow untrusted internal connections.',
      'If your Mattermost server is on a private network, add it to `EGRESS_PRIVATE_EXCEPTIONS` on the Bellhop server.',
    ],
  },
  teams: {
    label: 'Microsoft Teams',
    beta: true,
    testedWith: 'a server that answers like the Bot Framework',
    unreadThreads:
      'The agent does not read threads that others began. In Teams this needs consent beyond that of a bot: ChannelMessage.Read.Group from a team owner, or ChannelMessage.Read.All from an admin of the tenant.',
    secrets: ['appPassword'],
    settings: ['appId', 'tenantId', 'serviceUrl'],
    steps: [
      'In the [Azure portal](https://portal.azure.com/#create/Microsoft.AzureBot), create an Azure Bot of the type Single Tenant. Under Configuration, copy Microsoft App ID and App Tenant ID into the form below, and set Messaging endpoint to `{eventsUrl}`',
      'Under Manage Password, create a client secret and copy its value (not its ID) into the form below. Under Channels, add Microsoft Teams.',
      'In the [Teams Developer Portal](https://dev.teams.microsoft.com/apps), create an app. Under App features, add Bot with the same App ID for Personal, Team and Group chat. Under Permissions, add the team permission `ChannelMessage.Read.Group`. Without it, Teams forwards only messages that mention the bot.',
      'Publish the app to your organization (or upload it for yourself) and add it to a team. Its channels then appear here.',
    ],
  },
  'google-chat': {
    label: 'Google Chat',
    beta: true,
    testedWith: 'a server that answers like the Google Chat API',
    unreadThreads:
      'The agent does not read threads that others began. In Google Chat this needs consent beyond that of a bot: an admin of Google Workspace grants the app chat.app.messages.readonly.',
    secrets: ['serviceAccount'],
    settings: ['projectNumber', 'apiUrl'],
    steps: [
      'In a project of the Google Cloud console, enable the [Google Chat API](https://console.cloud.google.com/apis/library/chat.googleapis.com). Copy the project number (not the project ID) into the form below.',
      'Under [IAM & Admin → Service Accounts](https://console.cloud.google.com/iam-admin/serviceaccounts), create an account and, under Keys, a JSON key. Paste the key below. It needs no role.',
      'Under [Google Chat API → Configuration](https://console.cloud.google.com/apis/api/chat.googleapis.com/hangouts-chat), enter a name, an avatar and a description, turn on Interactive features and Join spaces and group conversations, choose HTTP endpoint URL and enter `{eventsUrl}` for all triggers. For Authentication Audience, choose Project Number.',
      'Make the app visible to your people, then add it to a space in Google Chat by mentioning it with @ and its name.',
    ],
  },
}

/** Fields without an entry are shown by their own name. */
export const fieldLabels: Partial<Record<FieldName, string>> = {
  botToken: 'Bot token',
  signingSecret: 'Signing secret',
  appToken: 'App-level token',
  appPassword: 'Client secret',
  serviceAccount: 'Service account key (JSON)',
  applicationId: 'Application ID',
  publicKey: 'Public key',
  appId: 'App ID',
  tenantId: 'Tenant ID',
  projectNumber: 'Project number',
  apiUrl: 'API URL (only for a proxy or an emulator)',
  serviceUrl: 'Service URL',
}
