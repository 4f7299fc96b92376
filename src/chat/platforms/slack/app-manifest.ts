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
/** Without these the app must be invited to every channel. */
const welcomeScopes = ['channels:join', 'chat:write.public']

/** `granted` is Slack's list of the token's scopes, which may be fewer than the manifest asks for. */
export function findMissingScopes(granted: string): string[] {
  const all = new Set(granted.split(',').map((scope) => scope.trim()))
  return neededScopes.filter((scope) => !all.has(scope))
}

/**
 * Exactly the scopes and events that Bellhop uses. The dashboard shows it, ready to paste into Slack, which refuses the whole
 * manifest if an event lacks its scope, or a scope its feature.
 */
export function slackAppManifest({ name, eventsUrl }: { name: string; eventsUrl: string }) {
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
    },
    oauth_config: {
      scopes: {
        bot: [...neededScopes, ...welcomeScopes].toSorted(),
      },
    },
    settings: {
      event_subscriptions: {
        request_url: eventsUrl,
        bot_events: [
          'app_mention',
          'app_uninstalled',
          'message.channels',
          'message.groups',
          'message.im',
          'tokens_revoked',
        ],
      },
      interactivity: { is_enabled: true, request_url: eventsUrl },
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  }
}
