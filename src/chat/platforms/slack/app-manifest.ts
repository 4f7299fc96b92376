import { askShortcut } from './read-slack-command.ts'

/** Without these scopes some messages cannot be received or sent. */
const neededScopes = [
  'app_mentions:read',
  'channels:history',
  'channels:read',
  'chat:write',
  'groups:history',
  'groups:read',
  'im:history',
  'users:read',
]
/**
 * Without the first two the app must be invited to every channel; without `commands` it has no command and no shortcut; without
 * `usergroups:read` no group of approvers can be a user group; without `files:read` it reads no files; without `files:write` large tables come as messages.
 */
const welcomeScopes = [
  'channels:join',
  'chat:write.public',
  'commands',
  'files:read',
  'files:write',
  'usergroups:read',
]

const allScopes = [...neededScopes, ...welcomeScopes].toSorted()

type App = { name: string; connection: 'http' | 'socket'; eventsUrl: string }

/** `granted` is Slack's list of the token's scopes, which may be fewer than the manifest asks for. */
export function findMissingScopes(granted: string | undefined, of: readonly string[] = allScopes): string[] {
  if (!granted) return []
  const all = new Set(granted.split(',').map((scope) => scope.trim()))
  return of.filter((scope) => !all.has(scope))
}

export function findMissingNeeded(granted: string | undefined): string[] {
  return findMissingScopes(granted, neededScopes)
}

/**
 * Exactly the scopes and events that Bellhop uses. The dashboard shows it, ready to paste into Slack, which refuses the whole
 * manifest if an event lacks its scope, or a scope its feature.
 */
export function slackAppManifest({ name, connection, eventsUrl }: App) {
  // Over a socket, Slack calls no address.
  const address = connection === 'socket' ? {} : { request_url: eventsUrl }
  return {
    display_information: {
      name,
      description: 'An agent that works with your APIs and asks before it changes anything.',
    },
    features: {
      bot_user: { display_name: name.toLowerCase(), always_online: true },
      app_home: {
        messages_tab_enabled: true,
        messages_tab_read_only_enabled: false,
        home_tab_enabled: false,
      },
      shortcuts: [
        {
          name: `Ask ${name} about this`,
          type: 'message',
          callback_id: askShortcut,
          description: 'The agent reads the thread and answers there.',
        },
      ],
      slash_commands: [
        {
          command: '/bellhop',
          ...(connection === 'socket' ? {} : { url: eventsUrl }),
          description: 'Ask the agent, see what it does, link your account',
          usage_hint: 'ask [question] | status | approvals | link [code]',
          should_escape: false,
        },
      ],
    },
    oauth_config: {
      scopes: {
        bot: allScopes,
      },
    },
    settings: {
      event_subscriptions: {
        ...address,
        bot_events: [
          'app_mention',
          'app_uninstalled',
          'message.channels',
          'message.groups',
          'message.im',
          'tokens_revoked',
        ],
      },
      interactivity: { is_enabled: true, ...address },
      org_deploy_enabled: false,
      socket_mode_enabled: connection === 'socket',
      token_rotation_enabled: false,
    },
  }
}
