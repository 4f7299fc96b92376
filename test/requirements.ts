/**
 * Every testable statement of the specification and of our answers to what it leaves open, as data. A test cites the id that it
 * proves (`verifies('hooks:one-event-one-run', …)`); test/coverage.test.ts fails when no test cites an id, and
 * docs/specification.md is written from this table by scripts/write-specification.ts.
 *
 * `from` names the place that decides: `spec 6.1` is the service specification, `product 2` our answers to its open points,
 * `security A3` the security policy, `performance` the performance goals.
 */
export type Requirement = {
  says: string
  from: string
}

/** What an id starts with, and what that group is about. */
export const groups = {
  house: 'Start, stop and repository',
  config: 'The environment, read once',
  db: 'PostgreSQL, embedded by default',
  vault: 'Secrets at rest',
  jobs: 'Background jobs',
  http: 'What every HTTP answer has in common',
  accounts: 'People and access',
  log: 'Logs, metrics and traces',
  egress: 'Guarded outgoing requests',
  'http-tools': 'From a tool and an input to a request, and back',
  connectors: 'Registering an API',
  oauth: 'Access that an authorization server grants to a connector',
  import: 'Importing an API',
  hooks: 'Incoming webhooks',
  rules: 'What becomes of an event',
  verify: 'Signatures and shared secrets',
  events: 'The ledger of events',
  schedules: 'What the agent does by the clock',
  dispatch: 'From the inbox to runs',
  permissions: 'What a call needs',
  approvals: 'Durable questions to the admins',
  receipts: 'Proof for targets of what was approved',
  policies: 'Decisions in advance',
  runs: 'The agent at work',
  thumbs: 'What people think of replies',
  rehearsals: 'Changes tried on past events',
  cases: 'Events that are kept with checks',
  revisions: 'What was saved, and the way back',
  models: 'Language models',
  chat: 'Channels, messages and chat platforms',
  mcp: 'Remote MCP connectors, and our own tools served',
  api: 'The management API',
  cli: 'The bellhop command',
  dashboard: 'Where everything is configured',
} as const

export const requirements = {
  // ── house ──
  'house:ids-have-prefix': {
    says: 'A record id is a prefix that names the kind of record and a UUIDv7, so ids sort by time.',
    from: 'product 2',
  },
  'house:secret-never-prints': {
    says: 'A secret prints as [secret] in strings, JSON and inspection; only reveal() gives the value.',
    from: 'security D',
  },
  'house:import-map': {
    says: 'Only the imports that the architecture map allows exist; a forbidden one fails the tests.',
    from: 'architecture',
  },
  'house:requirements-covered': {
    says: 'Every requirement is cited by a test, and no test cites one that does not exist.',
    from: 'architecture',
  },
  'house:flaky-test-fails': {
    says: 'A test that fails is a failure of npm test, even if it passes alone; only with CI=true is it tried once more, alone, and named in the last line.',
    from: 'architecture',
  },
  'house:docs-in-step': {
    says: 'The pages about requirements, problems, settings and dependencies name exactly what the code has.',
    from: 'architecture',
  },
  'house:one-command-start': {
    says: 'npm start in a fresh clone installs, builds, starts the database, migrates and serves.',
    from: 'product 8',
  },
  'house:installs-by-itself': {
    says: 'The setup installs and builds when lockfile or dashboard changed, once at a time, and is silent otherwise.',
    from: 'product 8',
  },
  'house:setup-explains': {
    says: 'A setup that fails says why and what to do: old Node, no network, full disk, a lockfile that does not match.',
    from: 'product 8',
  },
  'house:finds-chromium': {
    says: 'The tests use the Chromium of the machine; root gets Debian’s installed, others get the exact command.',
    from: 'product 8',
  },
  'house:lockfile-complete': {
    says: 'The lockfile names the packages of every platform, so that npm ci accepts it everywhere.',
    from: 'dependencies',
  },
  'house:lockfile-hashes': {
    says: 'Every package, Node itself included, comes with its hash from the lockfile, and no install script runs except the listed one; packages that had no hash to copy are listed with the reason.',
    from: 'security E',
  },
  'house:start-block': {
    says: 'The start-up block shows the URL, the data folder, the active model and chat, and the first-admin link.',
    from: 'product 8',
  },
  'house:leaves-first': {
    says: 'At SIGTERM a process with an external database answers 503 at /readyz and serves for 5 more seconds, in which each answer ends its connection, so that a load balancer loses no request.',
    from: 'product 7',
  },
  'house:clean-stop': {
    says: 'When it stops after SIGTERM or SIGINT, the service accepts nothing new, finishes or returns its work within 30 s and leaves no process behind; it does not wait for a database that does not answer.',
    from: 'security C',
  },
  'house:bounded-threads': {
    says: 'Slow work runs in threads of its own, three for each kind at a time; further work waits in a queue, and a slow task does not hold up the next one.',
    from: 'security E',
  },
  'house:no-import-side-effects': {
    says: 'No module opens, listens or schedules at import; whoever opens something closes it.',
    from: 'style 15',
  },
  'house:lockfile-without-addresses': {
    says: 'The lockfile names exact versions and no download addresses.',
    from: 'dependencies',
  },

  // ── config ──
  'config:defaults': {
    says: 'With an empty environment every setting has a working default.',
    from: 'product 8',
  },
  'config:complains-completely': {
    says: 'All faults of the environment are reported at once, each with the setting, the fault and what to write instead.',
    from: 'product 8',
  },
  'config:frozen': {
    says: 'The configuration is frozen after it is read; only config.ts reads the environment.',
    from: 'style 13',
  },
  'config:misspelled-name': {
    says: 'A misspelled setting name is reported with the name that was meant.',
    from: 'product 8',
  },
  'config:key-with-database-url': {
    says: 'With DATABASE_URL a missing ENCRYPTION_KEY stops the start, since replicas must share it.',
    from: 'product 8',
  },
  'config:key-format': {
    says: 'ENCRYPTION_KEY is 32 bytes in base64; anything else stops the start with a sentence that says how to make one.',
    from: 'product 8',
  },
  'config:role': {
    says: 'ROLE is all, web or worker; each starts only its own part.',
    from: 'product 8',
  },
  'config:egress-lists': {
    says: 'EGRESS_ALLOWED_HOSTS and EGRESS_PRIVATE_EXCEPTIONS are parsed at start; a bad entry is named.',
    from: 'product 8, security A6',
  },
  'config:trusted-proxies': {
    says: 'Forwarding headers are believed only from the CIDRs in TRUSTED_PROXIES.',
    from: 'product 8',
  },
  'config:env-proxy-refused': {
    says: 'The start is refused with NODE_USE_ENV_PROXY: the proxy would connect to addresses that were not checked.',
    from: 'security A4',
  },
  'config:secrets-shown-as-configured': {
    says: 'Wherever the effective configuration is shown, a secret is shown as configured, never as its value.',
    from: 'style 13',
  },

  // ── db ──
  'db:embedded-default': {
    says: 'Without DATABASE_URL a real PostgreSQL starts from the installed binaries, on a Unix socket, with no TCP port.',
    from: 'product 8',
  },
  'db:durable-settings': {
    says: 'The embedded database runs with fsync and synchronous_commit on.',
    from: 'architecture 1',
  },
  'db:data-folder-exclusive': {
    says: 'A second process on the same data folder ends with a clear message and harms nothing.',
    from: 'architecture 1',
  },
  'db:survives-kill': {
    says: 'After kill -9 of Bellhop, of PostgreSQL or of both, the next start needs no manual repair and has every committed row.',
    from: 'architecture 1',
  },
  'db:runs-as-root': {
    says: 'Started as root, the database runs as another user, also from a folder that user cannot enter.',
    from: 'architecture 1',
  },
  'db:long-socket-path': {
    says: 'A data folder with a path too long for a socket still works.',
    from: 'architecture 1',
  },
  'db:comes-back': {
    says: 'A PostgreSQL that dies while Bellhop runs is restarted automatically.',
    from: 'architecture 1',
  },
  'db:dies-with-us': {
    says: 'PostgreSQL stops when Bellhop does, however Bellhop dies, and not before: Ctrl-C reaches only Bellhop.',
    from: 'architecture 1',
  },
  'db:private': {
    says: 'Only the user who runs Bellhop can enter the data folder, read its secrets or reach the database.',
    from: 'security D',
  },
  'db:start-explained': {
    says: 'A start that fails says why in the words of PostgreSQL; a cluster of another major version asks for a dump.',
    from: 'architecture 1',
  },
  'db:external': {
    says: 'With DATABASE_URL the same code runs on any PostgreSQL from version 15; an unsuitable or unreachable one is reported with the reason.',
    from: 'product 8',
  },
  'db:migrations-together': {
    says: 'Several replicas that start together migrate once.',
    from: 'architecture 1',
  },
  'db:schema-described': {
    says: 'docs/schema.sql shows the tables that the migrations create. Each says what a row is and which slice writes it; the database has no functions and no triggers.',
    from: 'architecture 8',
  },
  'db:newer-database-refused': {
    says: 'A database that is newer than the code is refused with a sentence that says what to do.',
    from: 'architecture 1',
  },
  'db:connection-loss': {
    says: 'While the database is unavailable requests answer 503 with Retry-After; work continues when it is back. A connection that went silent is detected, and one to a standby is closed. A server on the same machine that is slow to accept a connection is waited for.',
    from: 'product 2',
  },
  'db:outage-logged-once': {
    says: 'An outage of the database is one line in the log when it begins and one when it is over, whatever fails meanwhile because of it.',
    from: 'product 7',
  },
  'db:abandoned-locks': {
    says: 'A process that freezes or is cut off in the middle of a transaction blocks the others for half a minute at most.',
    from: 'product 8',
  },
  'db:connections-renewed': {
    says: 'A connection is replaced after half an hour, so that the memory of PostgreSQL does not grow with the age of the service.',
    from: 'performance',
  },
  'db:plans-kept': {
    says: 'Frequent statements keep their plan, concurrent reads of the same thing are shared, and a newer version may change tables meanwhile.',
    from: 'performance',
  },
  'db:json-untouched': {
    says: 'Stored JSON keeps key order, white space and big numbers.',
    from: 'product 3',
  },

  // ── vault ──
  'vault:aes-256-gcm': {
    says: 'Secrets are sealed with AES-256-GCM, a random 96-bit nonce and a full 128-bit tag.',
    from: 'spec 2.1, spec 5.1, security D',
  },
  'vault:wycheproof': {
    says: 'Published AES-GCM vectors open where valid and fail where altered.',
    from: 'security D',
  },
  'vault:short-tag-refused': {
    says: 'A shortened authentication tag is refused.',
    from: 'security D',
  },
  'vault:bound-to-place': {
    says: 'A sealed value moved to another table, row or column does not open.',
    from: 'security D',
  },
  'vault:key-ids': {
    says: 'Each sealed value names its format version and key; several keys may read, one writes.',
    from: 'security D',
  },
  'vault:canary-at-start': {
    says: 'A wrong or missing key stops the start with a message that says what to do, instead of failing at the first call.',
    from: 'security D',
  },
  'vault:key-file-private': {
    says: 'A generated key is stored in the data folder, readable by its owner alone (0600).',
    from: 'product 8',
  },
  'vault:rotation-online': {
    says: 'rotate-encryption-key seals every secret again under the new key while the service runs.',
    from: 'security D',
  },
  'vault:lost-key': {
    says: 'Secrets whose key is gone stop neither the start nor a page: each is entered again, or cleared, where it was entered before.',
    from: 'security D',
  },
  'vault:planted-secrets-stay': {
    says: 'Planted secrets show up in no log, trace, database text, model context, chat, error or page, in any encoding.',
    from: 'security D',
  },

  // ── jobs ──
  'jobs:in-transaction': {
    says: 'A job enqueued in a transaction exists exactly when that transaction commits.',
    from: 'architecture 2',
  },
  'jobs:takeover': {
    says: 'The job of a killed worker is taken over by another within 10 s.',
    from: 'architecture 2',
  },
  'jobs:retries-then-dead-letter': {
    says: 'A failing job is tried again with growing pauses and then ends in a visible dead letter.',
    from: 'security C',
  },
  'jobs:finished-are-deleted': {
    says: 'A finished job is deleted: the table of jobs is as small as the work that is left.',
    from: 'performance',
  },
  'jobs:waits-for-room': {
    says: 'A full disk does not count as a failed try of jobs, runs or replies: accepted work continues by itself once there is space.',
    from: 'product 2',
  },
  'jobs:wake-up': {
    says: 'A new job wakes an idle worker at once; polling is the backstop.',
    from: 'architecture 2',
  },

  // ── http ──
  'http:problem-json': {
    says: 'Every error is application/problem+json with type, title, status, detail and instance (RFC 9457).',
    from: 'product 2',
  },
  'http:every-problem': {
    says: 'Every row of the problem table is answered with its status and title.',
    from: 'product 2',
  },
  'http:invalid-fields-422': {
    says: 'Invalid fields are 422 with a pointer and a remedy each; unparsable input is 400.',
    from: 'product 2',
  },
  'http:mute-500': {
    says: 'An unexpected error answers 500 with a request id and no details; the cause is only in the log.',
    from: 'style 6',
  },
  'http:no-echo': {
    says: 'Errors never echo tokens, secrets or bodies.',
    from: 'product 2',
  },
  'http:request-id': {
    says: 'Every answer of the API, and every refusal of a delivery, carries a request id that is also in the log line. An accepted delivery has the id of its event.',
    from: 'house',
  },
  'http:security-headers': {
    says: 'Every answer carries a strict content security policy and the usual protective headers.',
    from: 'security G',
  },
  'http:body-limit': {
    says: 'A body over the limit is refused while it streams, without reading the rest.',
    from: 'product 2',
  },
  'http:bounded-connections': {
    says: 'One connection has a bounded number of requests in progress, a request leaves nothing open, and connections never use up the file descriptors that the database needs.',
    from: 'security E',
  },
  'http:healthz': {
    says: 'GET /healthz answers 200 while the process lives.',
    from: 'product 7',
  },
  'http:readyz': {
    says: 'GET /readyz reports whether the database accepts writes and is migrated, always within 5 s; it never asks model or chat.',
    from: 'product 7',
  },
  'http:metrics': {
    says: 'GET /metrics gives Prometheus text: behind METRICS_TOKEN when one is set, otherwise to the same machine only.',
    from: 'product 7',
  },
  'http:origin-check': {
    says: 'A state change from another origin with a session cookie is refused.',
    from: 'security G',
  },

  // ── accounts ──
  'accounts:roles': {
    says: 'Roles are admin, operator and member; each contains the rights of the one below.',
    from: 'product 6',
  },
  'accounts:route-role-matrix': {
    says: 'Every route refuses every role below its own, on the server; a route that is not in the matrix fails the tests.',
    from: 'product 6, security G',
  },
  'accounts:role-change-at-once': {
    says: 'A changed role is in force with the next request.',
    from: 'product 6',
  },
  'accounts:first-admin-link': {
    says: 'Until an admin exists every start prints, before it is ready, a one-time link to create one, also when API_KEY is set.',
    from: 'product 6',
  },
  'accounts:first-admin-once': {
    says: 'Concurrent first-admin requests create exactly one admin; afterwards setup is gone.',
    from: 'product 6, security G',
  },
  'accounts:first-admin-from-environment': {
    says: 'ADMIN_EMAIL and ADMIN_PASSWORD create the first admin instead of the link.',
    from: 'product 6',
  },
  'accounts:sign-in': {
    says: 'A person signs in with email and password and gets an HttpOnly, SameSite=Lax session cookie.',
    from: 'product 6, security G',
  },
  'accounts:host-cookie': {
    says: 'The cookies of sessions and sign-ins have the __Host- prefix when PUBLIC_URL is https (below a path: __Secure-), else a plain name and a warning.',
    from: 'security G',
  },
  'accounts:password-length': {
    says: 'A password has at least 12 characters.',
    from: 'product 6',
  },
  'accounts:password-hashing': {
    says: 'Passwords are stored as memory-hard hashes.',
    from: 'security G',
  },
  'accounts:sign-in-throttled': {
    says: 'Sign-in attempts, including those through a provider, are limited per account and per address, and nobody is locked out where they are signed in; the number of passwords checked at a time is bounded.',
    from: 'security G',
  },
  'accounts:saved-views': {
    says: 'A person keeps views of lists under names, 200 at most; they are there wherever the person signs in, nobody else sees them, and an API key has none.',
    from: 'product 7',
  },
  'accounts:sessions-listed-and-revoked': {
    says: 'A person sees their own sessions and can end any of them; an ended session stops working at once.',
    from: 'product 6',
  },
  'accounts:session-tokens-not-stored-clear': {
    says: 'Session tokens are not stored in plain text.',
    from: 'dependencies',
  },
  'accounts:invitations': {
    says: 'An admin invites a person by a link that works once and expires; its token is in a part of the URL that no log on the way records.',
    from: 'product 6',
  },
  'accounts:plain-names': {
    says: 'Names of people and API keys have one line and no invisible characters or ones that change the direction of text.',
    from: 'product 6',
  },
  'accounts:one-name-per-person': {
    says: 'Two people cannot have the same name, or one that looks like it; inviting, setup, joining and renaming answer 409 name-taken, and who comes through a provider gets a distinct one.',
    from: 'product 9.9, security F',
  },
  'accounts:password-reset': {
    says: 'A password is reset by a one-time link from an admin or by the command on the server.',
    from: 'product 6',
  },
  'accounts:totp': {
    says: 'A person may add a one-time code as a second factor, which holds for every way to sign in.',
    from: 'product 6',
  },
  'accounts:groups': {
    says: 'Admins keep groups of people, who are named one by one or join by a claim of the OpenID provider at each sign-in. A group that something names is not deleted.',
    from: 'product 12',
  },
  'accounts:oidc': {
    says: 'People may sign in through an OpenID Connect provider that an admin has configured.',
    from: 'product 6',
  },
  'accounts:last-admin-stays': {
    says: 'The last admin cannot be removed or demoted.',
    from: 'product 6',
  },
  'accounts:api-keys': {
    says: 'API keys start with blh_, are stored as a hash, carry a role, are shown once, and show when they were last used and whether their creator is gone.',
    from: 'product 6',
  },
  'accounts:api-key-from-environment': {
    says: 'API_KEY becomes an admin key; the same key at the next start changes nothing, another one replaces it.',
    from: 'product 8',
  },
  'accounts:audit-log': {
    says: 'Sign-ins, denials, configuration changes, reveals, approvals, egress blocks and erasures are in the audit log, with the names that people and things had at that time.',
    from: 'product 6',
  },
  'accounts:audit-sentences': {
    says: 'Each entry of the audit log is a whole sentence, which names the tool and the request of a decision, and is found by its words.',
    from: 'product 7',
  },
  'accounts:audit-csv': {
    says: 'The audit log is filtered by who, action, object and time, and downloaded as CSV with the same filters.',
    from: 'product 7',
  },
  'accounts:linked-chat-identity': {
    says: 'A chat identity is linked to a user, so that a click in the chat has that user’s role.',
    from: 'product 6',
  },

  // ── log ──
  'log:one-line-per-unit': {
    says: 'One unit of work writes one line, also when it throws.',
    from: 'style 17',
  },
  'log:json-or-pretty': {
    says: 'Logs are JSON lines, and readable text on a terminal.',
    from: 'house',
  },
  'log:never-in-the-way': {
    says: 'A log that cannot be written, because of a full disk or a closed reader, stops neither the service nor its clean shutdown.',
    from: 'product 8',
  },
  'log:telemetry': {
    says: 'Traces are exported when OTEL_EXPORTER_OTLP_ENDPOINT is set, and only then.',
    from: 'product 8',
  },
  'log:event-to-reply-histogram': {
    says: 'The time from event to reply is kept as a histogram.',
    from: 'spec 1, spec 8, performance',
  },

  // ── egress ──
  'egress:checked-at-save-and-connect': {
    says: 'An address is checked when it is saved and again when it is dialled.',
    from: 'spec 8, security A1',
  },
  'egress:schemes': {
    says: 'Only http and https URLs without userinfo pass.',
    from: 'security A1',
  },
  'egress:names-refused': {
    says: 'localhost, .localhost, .local, .internal, .home.arpa and single-label names are refused; a trailing dot does not get around that.',
    from: 'security A1',
  },
  'egress:own-origin-refused': {
    says: 'Our own host and port are refused, even by exception.',
    from: 'security A1, security A6',
  },
  'egress:allowlist': {
    says: 'A host must match EGRESS_ALLOWED_HOSTS; the default is any public host.',
    from: 'spec 8, security A1',
  },
  'egress:private-ranges': {
    says: '10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 127.0.0.1 and ::1 are refused.',
    from: 'spec 8',
  },
  'egress:ipv4-special': {
    says: 'Every special-purpose IPv4 range, multicast and 168.63.129.16 are refused, in every spelling.',
    from: 'security A2',
  },
  'egress:ipv6-only-global': {
    says: 'Of IPv6 only 2000::/3 without its special ranges passes; mapped, compatible and tunnelled forms do not.',
    from: 'security A2',
  },
  'egress:nat64-by-embedded': {
    says: '64:ff9b::/96 is decided by the IPv4 address in it; every other embedding is refused.',
    from: 'security A3',
  },
  'egress:any-answer-refused': {
    says: 'One refused address among the answers for a name refuses the name.',
    from: 'security A3',
  },
  'egress:rebinding-closed': {
    says: 'The address that was checked is the one that is dialled: a name that changes its answer between two lookups gains nothing.',
    from: 'spec 8, security A3',
  },
  'egress:host-and-sni-kept': {
    says: 'A dialled address keeps the name as Host and as TLS server name.',
    from: 'security A3',
  },
  'egress:socket-checked': {
    says: 'The remote address of the open socket is compared with the checked one.',
    from: 'security A3',
  },
  'egress:no-redirects': {
    says: 'Redirects are never followed.',
    from: 'product 3, security A4',
  },
  'egress:limits': {
    says: 'Time to connect, to headers and in all, and size after decompression, are limited for each caller.',
    from: 'security A5',
  },
  'egress:gzip-bomb': {
    says: 'An answer that grows beyond the limit when decompressed is cut with too_large.',
    from: 'security A5',
  },
  'egress:no-header-injection': {
    says: 'No header value with CR or LF is sent.',
    from: 'security A5',
  },
  'egress:exceptions-from-environment': {
    says: 'Exceptions come only from the environment: host:port exempts that pair from name and address rules, a CIDR exempts from address rules only.',
    from: 'security A6',
  },
  'egress:refusal-names-rule': {
    says: 'A refusal names the rule that fired, is audited, and reveals nothing about the internal network.',
    from: 'spec 7, security A7',
  },
  'egress:one-way-out': {
    says: 'Only platform/egress opens connections to addresses that come from data.',
    from: 'security A',
  },
  'egress:environment-addresses-trusted': {
    says: 'Addresses from the environment of the server are trusted; those from dashboard, API or payload never are.',
    from: 'product 8',
  },

  // ── http-tools ──
  'http-tools:one-tool-one-endpoint': {
    says: 'Each tool maps to one endpoint: its method to base URL plus path.',
    from: 'spec 1, spec 4.2',
  },
  'http-tools:url-join': {
    says: 'Base URL and path are joined with exactly one slash; a path may hold a literal query.',
    from: 'product 3',
  },
  'http-tools:placeholders': {
    says: '{placeholders} in the path are filled from the input values.',
    from: 'spec 2.2, spec 4.2',
  },
  'http-tools:path-value-is-one-segment': {
    says: 'A path value is one percent-encoded segment, so it never changes the shape of the URL.',
    from: 'product 3',
  },
  'http-tools:dot-segments-refused': {
    says: 'An empty path value, . and .. are refused as input errors.',
    from: 'product 3',
  },
  'http-tools:missing-placeholder': {
    says: 'A missing placeholder value is a tool error and nothing is sent.',
    from: 'product 3',
  },
  'http-tools:base-never-changes': {
    says: 'Whatever the input, the URL keeps the origin and the path of the base URL.',
    from: 'product 3',
  },
  'http-tools:one-place-each': {
    says: 'Every input goes to exactly one place: path, else its locations entry, else query or JSON body by method.',
    from: 'spec 4.2, product 3',
  },
  'http-tools:query-encoding': {
    says: 'In a query arrays repeat the key, nested objects are JSON, and absent inputs are left out.',
    from: 'product 3',
  },
  'http-tools:json-body-as-given': {
    says: 'Body inputs are sent as JSON with the types the model gave.',
    from: 'product 3',
  },
  'http-tools:default-headers': {
    says: 'Default headers go with every request.',
    from: 'spec 2.1, spec 4.2',
  },
  'http-tools:auth-none': {
    says: 'Auth type none sends no credentials.',
    from: 'spec 5.1',
  },
  'http-tools:auth-bearer': {
    says: 'Auth type bearer sends Authorization: Bearer with the auth value.',
    from: 'spec 5.1',
  },
  'http-tools:auth-api-key': {
    says: 'Auth type api_key sends the auth value in authName, by default X-API-Key.',
    from: 'spec 5.1, product 3',
  },
  'http-tools:auth-basic': {
    says: 'Auth type basic takes username:password and sends it as HTTP Basic.',
    from: 'spec 5.1, product 3',
  },
  'connectors:tool-health': {
    says: 'Calls, errors, p50, p95 and the last error of each tool in the last 48 hours, those of each connector as a whole, and the hosts that were called or refused. The time of a request is not the time of a decision.',
    from: 'product 7',
  },
  'connectors:auth-query': {
    says: 'Auth type query appends the sealed auth value as the query parameter authName while sending; requests are shown with it masked.',
    from: 'product 9.11',
  },
  'connectors:auth-same-for-both': {
    says: 'MCP connectors authenticate in the same ways as HTTP connectors, with sealed default headers.',
    from: 'product 9.11',
  },
  'connectors:no-key-in-url': {
    says: 'A URL or path whose query carries what looks like a credential is refused with the way to do it right; stored ones are moved into query authentication.',
    from: 'product 9.11',
  },
  'http-tools:auth-wins': {
    says: 'The configured authentication wins over a default header of the same name.',
    from: 'product 3',
  },
  'http-tools:idempotency-key': {
    says: 'A call other than GET carries an Idempotency-Key that is stable for the tool call.',
    from: 'product 3',
  },
  'http-tools:input-validated': {
    says: 'The input is validated against the schema before anything is sent; a mismatch, or a check that cannot be finished in time, goes to the agent as data.',
    from: 'product 3',
  },
  'http-tools:undeclared-inputs': {
    says: 'An input that the schema neither names nor expressly allows is refused by name, with the names there are; imported schemas allow no others.',
    from: 'product 9.1',
  },
  'http-tools:method-override': {
    says: 'A name that changes the method, such as _method or X-HTTP-Method-Override, is never sent as query, field or header, whatever the schema says.',
    from: 'product 9.1',
  },
  'http-tools:answer-unchanged': {
    says: 'The agent gets status and media type, the headers that say where to continue, then the body exactly as received, 4xx and 5xx too.',
    from: 'spec 2.2, spec 4.2, product 3',
  },
  'http-tools:binary-described': {
    says: 'A binary answer is described by type, size and SHA-256; images go to models that take them.',
    from: 'product 3',
  },
  'http-tools:echoed-credential-masked': {
    says: 'A copy of the connector’s own credential in an answer is masked, also in hex, percent-encoding or Base64 if it has 8 bytes or more, and the run says so.',
    from: 'product 3',
  },
  'http-tools:redirect-is-the-answer': {
    says: 'A 3xx is the answer and is not followed.',
    from: 'product 3',
  },
  'http-tools:failures-are-data': {
    says: 'Time-outs, name, address, TLS and size failures come back as data with their code and never throw.',
    from: 'product 3',
  },
  'http-tools:output-schema-warns': {
    says: 'An answer that does not match outputSchema is a warning on the run, never an error.',
    from: 'spec 2.2, product 3',
  },
  'http-tools:odd-answers': {
    says: 'Endless, slow, truncated, mislabelled and non-UTF-8 answers end in a clear result and never in a crash.',
    from: 'product 3',
  },
  'http-tools:try-it': {
    says: 'Try it shows the request with secrets masked, the answer and how long it took: reads for operators, others for an admin who confirms.',
    from: 'product 3',
  },

  // ── connectors ──
  'connectors:fields': {
    says: 'A connector has name, base URL, default headers, auth type, auth value and tools.',
    from: 'spec 2.1',
  },
  'connectors:tool-fields': {
    says: 'A tool has name, description, method, path, capability and inputSchema, all required.',
    from: 'spec 2.2',
  },
  'connectors:base-url-validated': {
    says: 'A base URL that is not allowed is refused at save and nothing is saved.',
    from: 'spec 2.1, spec 8',
  },
  'connectors:base-url-shape': {
    says: 'A base URL has no query, fragment or userinfo.',
    from: 'product 3',
  },
  'connectors:tool-names': {
    says: 'Tool names match ^[a-zA-Z0-9_-]{1,64}$ and are unique in the connector.',
    from: 'product 3',
  },
  'connectors:model-names': {
    says: 'The model sees connectorslug__tool, at most 64 characters, unique over all connectors.',
    from: 'product 3',
  },
  'connectors:methods': {
    says: 'Methods are GET, HEAD, POST, PUT, PATCH and DELETE.',
    from: 'product 3',
  },
  'connectors:placeholder-needs-property': {
    says: 'A placeholder without a property, or one that is an object or array, is refused at save.',
    from: 'product 3',
  },
  'connectors:schema-unchanged': {
    says: 'inputSchema is stored and passed on unchanged, key order, $ref, $defs and anyOf included.',
    from: 'spec 2.2, product 3',
  },
  'connectors:schema-compiles': {
    says: 'A schema must compile as JSON Schema 2020-12 or draft-07; the refusal names the place of the fault.',
    from: 'product 3',
  },
  'connectors:remote-refs-refused': {
    says: 'A remote $ref is refused, not fetched.',
    from: 'product 3',
  },
  'connectors:schema-lint': {
    says: 'Save warns about what a model provider would refuse and leaves the schema as it is.',
    from: 'product 3',
  },
  'connectors:secrets-write-only': {
    says: 'Secrets never come back: the answer says only that they are set.',
    from: 'product 7',
  },
  'connectors:auth-value-sealed': {
    says: 'The auth value is stored encrypted.',
    from: 'spec 2.1, spec 5.1',
  },
  'connectors:credential-headers-sealed': {
    says: 'Default headers that look like a credential, or are flagged, are sealed and masked.',
    from: 'product 3',
  },
  'connectors:reserved-headers-refused': {
    says: 'Host, Content-Length and hop-by-hop headers are refused as default headers, and so are names or values with CR or LF.',
    from: 'product 3',
  },
  'connectors:origin-change-clears-secrets': {
    says: 'A changed origin clears auth value and sealed headers unless they are sent again in the same request.',
    from: 'product 3',
  },
  'connectors:patch-keeps-secret': {
    says: 'A merge patch keeps an absent secret and clears one that is null; tools replaces the list, matched by name.',
    from: 'product 7',
  },
  'connectors:delete': {
    says: 'Deleting a connector takes its tools away from the next call on.',
    from: 'product 7',
  },
  'connectors:save-and-test': {
    says: 'Save & Test saves, then sends one GET to the base URL with headers and auth; a failed test keeps the save and says so.',
    from: 'spec 4.2, product 3',
  },
  'connectors:health': {
    says: 'A connector that was not reached by a call or a test says so until it is reached again or edited.',
    from: 'product 3',
  },
  'connectors:test-any-status-reachable': {
    says: 'Any HTTP status means reachable; 401 and 403 are reported as credentials refused.',
    from: 'product 3',
  },
  'connectors:test-answers-200': {
    says: 'The test action answers 200 with reachable, status, timeMs, address, tls and problem, also for an unsaved body.',
    from: 'product 3, product 7',
  },
  'connectors:test-calls-no-tool': {
    says: 'The test never calls a tool.',
    from: 'product 3',
  },
  'connectors:timeout-setting': {
    says: 'timeoutMs is set per connector, at most 120 s.',
    from: 'product 3',
  },
  'connectors:nothing-half-saved': {
    says: 'A refused save changes nothing.',
    from: 'product 3',
  },

  // ── import ──
  'import:openapi': {
    says: 'An OpenAPI 2 or 3.x document, as JSON or YAML, becomes a preview of tools.',
    from: 'product 7',
  },
  'import:url': {
    says: 'A document is fetched from a URL through the guarded egress.',
    from: 'product 7, security A',
  },
  'import:curl': { says: 'A pasted curl line becomes a tool.', from: 'product 7' },
  'import:suggested-capability': {
    says: 'GET is suggested as read, POST, PUT and PATCH as write, DELETE as destructive.',
    from: 'product 7',
  },
  'import:locations': {
    says: 'Parameters become properties with the right locations.',
    from: 'product 7',
  },
  'import:refs-keep-working': {
    says: '$refs of the document keep working in the schemas, recursive ones too.',
    from: 'product 7',
  },
  'import:names-valid-and-unique': {
    says: 'Names are made valid and unique.',
    from: 'product 7',
  },
  'import:real-documents': {
    says: 'Large published documents import without a crash and give tools that can be saved.',
    from: 'product 7',
  },

  // ── hooks ──
  'hooks:accepted': {
    says: 'An accepted event answers 200 with status, eventId and runId.',
    from: 'spec 4.1, product 2',
  },
  'hooks:one-event-one-run': {
    says: 'Each event makes exactly one run and one reply.',
    from: 'spec 6.1, product 2',
  },
  'hooks:committed-before-answer': {
    says: 'An event is committed to disk before the answer; one answered 200 is never lost.',
    from: 'product 2, security C',
  },
  'hooks:raw-bytes': {
    says: 'The body is kept and passed on as the bytes received.',
    from: 'spec 4.1, product 2',
  },
  'hooks:any-json-value': {
    says: 'Any JSON value is accepted, scalars, null and a leading BOM included; no field is required.',
    from: 'spec 4.1, product 2',
  },
  'hooks:token-triggers': {
    says: 'A valid token in the path is enough to trigger the webhook.',
    from: 'spec 4.1, spec 5.2',
  },
  'hooks:token-format': {
    says: 'A token is whk_ and 32 random bytes as base64url, unique for each webhook.',
    from: 'spec 2.3, product 2',
  },
  'hooks:token-looked-up-by-hash': {
    says: 'A token is looked up by its SHA-256 and stored encrypted.',
    from: 'product 2',
  },
  'hooks:order-of-checks': {
    says: 'Checks run in order: method, token, type, size, signature, JSON, handshake, duplicate, rate limit, commit.',
    from: 'product 2',
  },
  'hooks:duplicate': {
    says: 'The same delivery again answers 200 duplicate with the same ids and starts nothing.',
    from: 'product 2',
  },
  'hooks:duplicate-concurrent': {
    says: 'Concurrent copies of one delivery make one event.',
    from: 'product 2',
  },
  'hooks:duplicate-sources': {
    says: 'The delivery id is the first of: the preset’s own, the well-known headers, a configured header or pointer; without one there is no de-duplication.',
    from: 'product 2',
  },
  'hooks:duplicate-window': {
    says: 'Delivery ids are remembered for 7 days, for each webhook on its own.',
    from: 'product 2',
  },
  'hooks:duplicate-other-body': {
    says: 'A sender-chosen key with another body answers 409; ids of presets or bodies answer duplicate whatever the body.',
    from: 'product 2',
  },
  'hooks:refused-leaves-no-trace': {
    says: 'A delivery answered 429 or 503 does not make its retry a duplicate.',
    from: 'product 2',
  },
  'hooks:malformed-400': {
    says: 'Malformed JSON, invalid UTF-8, nesting deeper than 128 and an empty body answer 400.',
    from: 'product 2, security E',
  },
  'hooks:unverified-401': {
    says: 'A missing or wrong signature or secret answers 401 with a generic text; the exact reason is kept for the operator.',
    from: 'product 2',
  },
  'hooks:unknown-404': {
    says: 'An unknown token answers 404 webhook-not-found.',
    from: 'product 2',
  },
  'hooks:inactive-404': {
    says: 'An inactive webhook answers 404 webhook-inactive and starts nothing.',
    from: 'spec 3, product 2',
  },
  'hooks:deleted-410': {
    says: 'A deleted webhook answers 410.',
    from: 'spec 3, product 2',
  },
  'hooks:method-405': {
    says: 'Another method answers 405 with Allow: POST.',
    from: 'spec 4.1, product 2',
  },
  'hooks:too-large-413': {
    says: 'A body over the limit, 1 MiB by default, answers 413 while it streams.',
    from: 'product 2',
  },
  'hooks:media-type-415': {
    says: 'A body that is not JSON, or has a content encoding, answers 415; a missing type is tried as JSON.',
    from: 'spec 4.1, product 2',
  },
  'hooks:form-payload': {
    says: 'Form-encoded payloads are taken only by presets whose sender uses them.',
    from: 'product 2',
  },
  'hooks:rate-limit-429': {
    says: 'Over the rate limit the answer is 429 with Retry-After, RateLimit and RateLimit-Policy.',
    from: 'spec 4.1, spec 8, product 2',
  },
  'hooks:rate-limit-setting': {
    says: 'The limit is 10/s with a burst of 100 unless an admin changes it for the webhook; null is unlimited.',
    from: 'spec 8, product 2',
  },
  'hooks:rate-limit-after-checks': {
    says: 'Refused and repeated deliveries cost no quota.',
    from: 'product 2',
  },
  'hooks:rate-limit-across-replicas': {
    says: 'The limits hold across replicas.',
    from: 'product 2',
  },
  'hooks:failures-limited-by-source': {
    says: 'Failures are limited by source address; a request that authenticates is never refused by that.',
    from: 'product 2',
  },
  'hooks:unavailable-503': {
    says: 'Store down, shutting down, backlog full or disk full or nearly so answer 503 with Retry-After and say which; the last two also at /readyz. An event that cannot be stored costs no other its place.',
    from: 'product 2',
  },
  'hooks:bounded-memory': {
    says: 'Bodies that arrive at the same time use bounded memory: large ones are read one after another, small ones at once, and one that cannot get its turn within 8 s answers 503 as soon as that shows.',
    from: 'product 2',
  },
  'hooks:handshakes': {
    says: 'Slack, GitHub, Discord, Intercom and CloudEvents handshakes are answered without a run, only where that preset is selected.',
    from: 'product 2',
  },
  'hooks:receipts': {
    says: 'A sender that takes our JSON for a failure, known by its user agent, gets its own form of receipt: nothing (Discord), TwiML (Twilio).',
    from: 'product 2',
  },
  'hooks:prefer-wait': {
    says: 'Prefer: wait=N, at most 30, holds the answer until the run ends and carries its status and reply.',
    from: 'product 2',
  },
  'hooks:poison-body': {
    says: 'No body causes a 5xx or stalls the event loop: depth, size, __proto__, NUL, lone surrogates, huge numbers.',
    from: 'security E',
  },
  'hooks:odd-http': {
    says: 'Chunked, truncated, pipelined, mislabelled and oversized requests get the right status and never 5xx.',
    from: 'product 2',
  },
  'hooks:fields': {
    says: 'A webhook has name, channel, prompt and active, and gets its endpoint URL on save.',
    from: 'spec 2.3',
  },
  'hooks:active-or-draft': {
    says: 'A webhook is created active or as a draft and switched either way at any time; the URL stays.',
    from: 'spec 2.3, spec 3, product 2',
  },
  'hooks:change-in-force': {
    says: 'A change answered 2xx is in force at once here and within 1 s in other processes.',
    from: 'product 2',
  },
  'hooks:url-masked': {
    says: 'The URL is whole on create and rotate, masked otherwise; revealing it is for admins and operators and is audited.',
    from: 'product 2, product 7',
  },
  'hooks:rotate-by-delete': {
    says: 'After delete and create the old URL belongs to no webhook.',
    from: 'spec 3, spec 5.2',
  },
  'hooks:rotate-in-place': {
    says: 'The URL can be rotated in place, with an overlap in which both work and the last use of the old one is shown.',
    from: 'product 2',
  },
  'hooks:test-event': {
    says: 'A test event goes through the real endpoint, signed as configured, also on drafts.',
    from: 'product 7',
  },
  'hooks:snippets': {
    says: 'Ready code for curl, Node, Python and GitHub Actions delivers to the webhook as it is, signed where it verifies.',
    from: 'product 2',
  },
  'hooks:refusals-visible': {
    says: 'Refused deliveries are counted, also by hour, and the last ones are kept with their reason and without secrets.',
    from: 'product 7',
  },
  'hooks:agent-headers': {
    says: 'The event comes with the sender’s event headers; exposeHeaders adds others; credential headers are withheld unless named there.',
    from: 'spec 5.2, product 2',
  },

  'rules:first-match': {
    says: 'The first rule of a webhook whose condition is true skips the event, posts a text or starts a run, perhaps in another channel with another prompt; without one the event runs.',
    from: 'product 10',
  },
  'rules:run-not-started': {
    says: 'The run of an event that started none answers 410 and names event and rule; the event can be run anyway.',
    from: 'product 10',
  },
  'rules:refused': {
    says: 'A rule that cannot be read is refused with 422, which names the rule and the position of the fault.',
    from: 'product 10',
  },
  'rules:faults-lose-nothing': {
    says: 'A condition that cannot be evaluated or takes too long does not match, is told on the event, and delays neither the process nor other webhooks.',
    from: 'product 10',
  },
  'rules:preview': {
    says: 'A preview tells what each of the last 500 kept events would become with other rules, and which rule would take it.',
    from: 'product 10',
  },
  'rules:one-thread-per-key': {
    says: 'Events of a webhook with the same key within its days are answered in one thread, one at a time and in order, with the earlier turns in context; a thread whose first message is gone is opened anew.',
    from: 'product 10',
  },
  'rules:closes': {
    says: 'A rule that closes marks the first message of the thread as resolved; an event that comes later takes the mark away.',
    from: 'product 10',
  },
  'rules:collect': {
    says: 'Events with the same key that arrive within the window become one run that sees them all; the others name the event they joined.',
    from: 'product 10',
  },
  'rules:one-outcome': {
    says: 'Every accepted event of a webhook with rules ends in exactly one of run, skipped, notified and joined.',
    from: 'product 10',
  },
  'rules:suggestions': {
    says: 'Thread keys and rules are suggested for common senders; they are in force only once somebody chooses and saves them.',
    from: 'product 10',
  },
  'rules:erased': {
    says: 'Erasing an event erases what a rule posted about it.',
    from: 'product 10',
  },

  // ── verify ──
  'verify:off-by-default': {
    says: 'Verification is off until it is configured.',
    from: 'spec 5.2, product 2',
  },
  'verify:shared-secret': {
    says: 'A shared secret in a header is compared by the server in constant time and never shown to the model.',
    from: 'spec 5.2, product 2',
  },
  'verify:generic': {
    says: 'The generic scheme takes algorithm, key encoding, header, prefix or list, encoding, signed template, timestamp and tolerance.',
    from: 'product 2, security B',
  },
  'verify:standard-webhooks': {
    says: 'Standard Webhooks and Svix deliveries verify, v1 and v1a.',
    from: 'security B',
  },
  'verify:github': { says: 'GitHub deliveries verify.', from: 'security B' },
  'verify:gitlab': { says: 'GitLab deliveries verify.', from: 'security B' },
  'verify:stripe': { says: 'Stripe deliveries verify.', from: 'security B' },
  'verify:slack': { says: 'Slack deliveries verify.', from: 'security B' },
  'verify:shopify': { says: 'Shopify deliveries verify.', from: 'security B' },
  'verify:linear': { says: 'Linear deliveries verify.', from: 'security B' },
  'verify:twilio': {
    says: 'Twilio deliveries verify, form and JSON.',
    from: 'security B',
  },
  'verify:pagerduty': { says: 'PagerDuty v3 deliveries verify.', from: 'security B' },
  'verify:sentry': { says: 'Sentry deliveries verify.', from: 'security B' },
  'verify:grafana': {
    says: 'Grafana deliveries verify, with and without a timestamp.',
    from: 'security B',
  },
  'verify:zendesk': { says: 'Zendesk deliveries verify.', from: 'security B' },
  'verify:hubspot': { says: 'HubSpot v3 deliveries verify.', from: 'security B' },
  'verify:intercom': { says: 'Intercom deliveries verify.', from: 'security B' },
  'verify:atlassian': {
    says: 'Jira and Bitbucket deliveries verify.',
    from: 'security B',
  },
  'verify:discord': {
    says: 'Discord deliveries verify with ed25519.',
    from: 'security B',
  },
  'verify:published-vectors': {
    says: 'The vectors that senders publish verify.',
    from: 'security B',
  },
  'verify:nothing-altered-passes': {
    says: 'A delivery with a flipped, dropped, truncated, re-cased or aged part fails the check.',
    from: 'security B',
  },
  'verify:duplicate-header-refused': {
    says: 'A signature header that is sent twice is refused.',
    from: 'security B',
  },
  'verify:timestamp-strict': {
    says: 'A timestamp must be 1 to 13 digits, or ISO where said, and within the tolerance.',
    from: 'security B',
  },
  'verify:two-secrets': {
    says: 'Two secrets may be live at once for rotation.',
    from: 'product 2',
  },
  'verify:secrets-write-only': {
    says: 'Signing secrets are sealed and never come back.',
    from: 'product 7, security D',
  },
  'verify:check-again': {
    says: 'A refused delivery shows the beginning of its body and is checked again with the present settings; its request is kept sealed, for a day.',
    from: 'product 2',
  },
  'verify:doctor': {
    says: 'The operator is told in plain words why a check failed.',
    from: 'product 2',
  },

  // ── events ──
  'events:life': {
    says: 'An event is accepted, then dispatched, then done, failed, dead or ignored; nothing else changes its state.',
    from: 'product 7',
  },
  'events:ledger': {
    says: 'Every accepted event is listed with time, source, headers, verification, run, reply and whether its run waits for approval, which is a filter too; filtered and paged.',
    from: 'product 7',
  },
  'events:told-in-words': {
    says: 'Each event of a list has a short description, made only from its headers and the beginning of its body.',
    from: 'product 7',
  },
  'events:by-type': {
    says: 'Events are filtered by the type that their sender names, such as `order.paid`; the types of the newest events are offered.',
    from: 'product 7',
  },
  'events:search': {
    says: 'Any stored event is found by a text of its body; each request scans a bounded part and says how far back it searched.',
    from: 'product 7',
  },
  'events:raw-download': {
    says: 'The raw bytes of an event can be downloaded as they came.',
    from: 'product 7',
  },
  'events:replay': {
    says: 'An event is replayed as a new run that is marked as such.',
    from: 'product 7',
  },
  'events:replay-dry': {
    says: 'A dry replay against a draft prompt or model has no side effects and posts nowhere.',
    from: 'product 7',
  },
  'events:erase': {
    says: 'Erasing an event wipes its body, run content and tool answers, and is audited.',
    from: 'product 7',
  },
  'chat:retention': {
    says: 'Messages are kept a year by default, and never shorter than the runs and threads that lead to them.',
    from: 'product 7',
  },
  'accounts:audit-chain': {
    says: 'The audit log is a chain, keyed with a key that is not in the database: `bellhop audit verify` says in words which entry was edited, removed (also the last ones) or inserted. Once a day its end is signed. Deleting old entries keeps the rest verifiable.',
    from: 'product 12',
  },
  'accounts:audit-retention': {
    says: 'The audit log is kept a year by default and 90 days at least; who changes that is in it.',
    from: 'product 6',
  },
  'events:replay-failed': {
    says: 'All events whose runs failed with an error since a time are replayed by one request, none of them twice.',
    from: 'product 9',
  },
  'events:retention': {
    says: 'Events and runs are kept 30 days after they ended by default, by the clock of the database, and pruned in small batches.',
    from: 'product 7',
  },

  // ── dispatch ──
  'dispatch:fair': {
    says: 'A storm on one webhook does not delay the events of another: none holds more than half of the workers, however slow its runs are.',
    from: 'product 2',
  },
  'dispatch:no-worker-waits': {
    says: 'An event without a free worker stays in the inbox as waiting, in its state and in the metric.',
    from: 'product 2',
  },
  'dispatch:concurrency': {
    says: 'At most 4 runs of a webhook run at once by default, and as many in all as a setting allows for each worker process; waiting runs do not count. The page of a webhook says when its limit is why events wait.',
    from: 'product 2',
  },
  'dispatch:never-stuck': {
    says: 'An accepted event is dispatched without any further event, after a crash too.',
    from: 'product 2',
  },
  'dispatch:dead-letter': {
    says: 'A poison event ends in a dead letter after 5 tries, visible, replayable, with one notice, and delays no other.',
    from: 'security C',
  },
  'dispatch:paused-keeps': {
    says: 'A paused webhook or agent accepts and keeps events and dispatches them on resume.',
    from: 'product 5',
  },

  // ── schedules ──
  'schedules:api': {
    says: 'Operators create, list, change, delete and run schedules, which repeat by cron or run once, in a time zone; the answer has the times in words, the next five and the last ten outcomes.',
    from: 'product second 10',
  },
  'schedules:due-time-is-event': {
    says: 'A due time is an event in the ledger, with the schedule and the time as its source: lists, search, figures, replay, erasure and run are those of every event.',
    from: 'product second 10',
  },
  'schedules:exactly-once': {
    says: 'A due time becomes one event and one run, by the database’s clock, with several replicas and with kill -9 around the due second.',
    from: 'product second 10',
  },
  'schedules:missed': {
    says: 'A time up to a minute late is on time; later ones are listed as missed, and the last of them is made up for within the grace period where the schedule says so.',
    from: 'product second 10',
  },
  'schedules:overlap': {
    says: 'A due time during the run before it is skipped, or waits for it; at most one waits.',
    from: 'product second 10',
  },
  'schedules:failures': {
    says: 'Three failures in a row pause a schedule with one notice, and the first success after a failure is told once.',
    from: 'product second 10',
  },
  'schedules:pre-flight': {
    says: 'A missing channel, connector or model fails a scheduled run before the model is asked.',
    from: 'product second 10',
  },
  'schedules:clock-changes': {
    says: 'A local time that does not exist is due at the next valid minute, one that exists twice is due once; a schedule for every hour goes by elapsed time.',
    from: 'product second 10',
  },
  'schedules:proposed': {
    says: 'Asked in a chat, the agent proposes a schedule with its times in words, the next three times and the prompt; only an operator who saves it in the dashboard creates it.',
    from: 'product second 10',
  },
  'schedules:come-back': {
    says: 'Asked in a chat, the agent continues the thread later by itself, once, with read tools and what was said there; one time waits in a thread, at most 30 days, and the thread shows it and how to cancel it.',
    from: 'product second 10',
  },
  'schedules:invalid': {
    says: 'A schedule that could not run as meant is refused with the field, the reason and what to write instead.',
    from: 'product second 10',
  },

  // ── permissions ──
  'permissions:read-runs': {
    says: 'A read tool runs at once.',
    from: 'spec 2.4, product 4',
  },
  'permissions:write-asks': {
    says: 'A write tool waits for the approval of one admin.',
    from: 'spec 2.4, product 4',
  },
  'permissions:destructive-confirms': {
    says: 'A destructive tool runs only on behalf of an admin, after an admin has confirmed in the channel.',
    from: 'spec 2.4, product 4',
  },
  'permissions:rights-of-now': {
    says: 'The rights of a person, a program, a webhook or a channel are those at the moment of the call: a request that is no longer allowed there is void, and is not sent even after an approval.',
    from: 'product 4, product 6',
  },
  'permissions:capability-sets-default': {
    says: 'The capability sets the permission: read auto, write approve, destructive confirm.',
    from: 'spec 2.2, product 4',
  },
  'permissions:off-hides': {
    says: 'A tool that is off is hidden from the agent and refused.',
    from: 'product 4',
  },
  'permissions:loosen-admin-only': {
    says: 'Only an admin can loosen a permission, lower a capability, or declare a tool with a method other than GET or HEAD as read.',
    from: 'product 4',
  },
  'permissions:ceiling': {
    says: 'A tool above the webhook’s ceiling stays listed and is refused at the call, with the reason, as data.',
    from: 'product 4',
  },
  'permissions:ceiling-destructive-by-admin': {
    says: 'Only an admin sets the ceiling destructive; the default is write.',
    from: 'product 4',
  },
  'permissions:connectors-of-webhook': {
    says: 'A webhook’s runs use only the connectors it lists, if it lists any.',
    from: 'product 4',
  },
  'permissions:reads-across': {
    says: 'Where a webhook or its channel says so, a call asks an admin if another connector was read before in the run or its thread; dry runs never ask, and only an admin takes the limit away.',
    from: 'product 9',
  },
  'permissions:one-gate': {
    says: 'There is one way to a tool: find, validate, decide, ask or refuse, send, record.',
    from: 'security F',
  },
  'permissions:hostile-model': {
    says: 'Whatever a hostile model asks for, nothing that needs an approval is sent without a valid one.',
    from: 'security F',
  },

  // ── approvals ──
  'approvals:shows-request': {
    says: 'An approval shows method, final URL, headers with secrets masked, whole body, cause and run.',
    from: 'product 4',
  },
  'approvals:card-says-why': {
    says: 'A card quotes the event with links to event and run, describes the tool, names who asks with their role, and shows method, URL and body before the headers; a request that a platform must shorten is shown with its end and decided where all of it is shown; after sending the card says what came of it. No word of the model is on it.',
    from: 'product 9.9',
  },
  'approvals:names-earlier-call': {
    says: 'A second question about the same tool in a thread names the first, whether it still waits or was approved.',
    from: 'product 9.4',
  },
  'approvals:one-list-per-step': {
    says: 'More than five approvals of one step are asked for in one message with a list, which follows each decision.',
    from: 'product 9.9',
  },
  'approvals:bound-to-digest': {
    says: 'After an approval exactly the shown request is sent; it is bound to a digest and to the versions of tool and connector.',
    from: 'product 4',
  },
  'approvals:void-on-edit': {
    says: 'An edit of the tool or connector voids the approval and the agent gets approval_void.',
    from: 'product 4',
  },
  'approvals:void-with-run': {
    says: 'The approvals of a run that ended, failed or was cancelled are void, and it requests no new ones.',
    from: 'product 4',
  },
  'approvals:who-approves': {
    says: 'A call with the permission approve is decided by an admin’s session, linked chat identity or admin API key, the requester included.',
    from: 'product 4',
  },
  'approvals:who-confirms': {
    says: 'A call with the permission confirm is decided only by a person who is an admin, on the card in the channel.',
    from: 'spec 2.4, product 4',
  },
  'approvals:one-decision': {
    says: 'Two clicks make one decision; deciding what is not pending answers 409 approval-not-pending.',
    from: 'product 4',
  },
  'approvals:role-at-click': {
    says: 'The role of the clicker is looked up at the click.',
    from: 'product 4',
  },
  'approvals:expiry': {
    says: 'An approval expires after 24 h by default, with one reminder, and then counts as denied.',
    from: 'product 4',
  },
  'approvals:denial-is-data': {
    says: 'A denial with its reason goes to the agent as data.',
    from: 'product 4',
  },
  'approvals:survive-restart': {
    says: 'Waiting runs hold no worker or memory and survive restarts.',
    from: 'product 4',
  },
  'approvals:edit': {
    says: 'An approver may edit the input of a pending call: validated, with a new digest, and its approvals are needed again. The card and the agent are told who changed what.',
    from: 'product 12',
  },
  'approvals:decide-what-was-seen': {
    says: 'A decision names the request it is about (`If-Match`, or the card that was clicked); after an edit it is refused with `approval-changed`.',
    from: 'product 12',
  },
  'approvals:groups': {
    says: 'A tool or a policy names the groups whose members approve, members and operators included; others get 403 `not-an-approver`, which names the groups. Admins can always deny; whether they can always approve is a setting.',
    from: 'product 12',
  },
  'approvals:several': {
    says: 'A call may need the approvals of up to five people. A person counts once, however they approve; an edit needs all approvals again; a role or membership that was lost takes the approval with it.',
    from: 'product 12',
  },
  'approvals:own-request': {
    says: 'Whether somebody may approve their own request can be set; by default they may not if it is destructive and enough others can.',
    from: 'product 12',
  },
  'approvals:escalate': {
    says: 'After the minutes that a tool or policy says, another group is mentioned below the card, once, and may decide too.',
    from: 'product 12',
  },
  'approvals:slack-user-group': {
    says: 'A group may be a user group of Slack, whose members are read at each click. Cards mention it, and never a whole channel.',
    from: 'product 12',
  },
  'approvals:reach': {
    says: 'For each webhook, schedule and channel, a page and the API list what the agent can be made to do there at worst: without a person, up to the cap of a policy, with an approval, or never, and which policies apply.',
    from: 'product 12',
  },
  'approvals:drill': {
    says: 'A drill hides orders of attackers in the latest event of a webhook, runs them through the saved configuration without writing or posting anything, and lists for each what the agent tried and whether a real run would have sent it, asked, or refused it.',
    from: 'product 12',
  },
  // ── receipts ──
  'receipts:signed': {
    says: 'With `signRequests` on its connector, whatever was approved is sent with `Content-Digest`, a receipt (`Bellhop-Approval`, a JWS in force for 60 seconds: run, call, tool, digest, cause, decided by) and an RFC 9421 signature (Ed25519) over method, target, digest and receipt. Nothing else carries one. `GET /approvals/{id}/receipt` has it.',
    from: 'product 12',
  },
  'receipts:rotation': {
    says: 'The keys are sealed, published at `/.well-known/jwks.json`, and rotated with overlap.',
    from: 'product 12',
  },
  'receipts:tamper-proof': {
    says: 'A request whose method, target, body, receipt or signature was changed, or that is late, is not genuine.',
    from: 'product 12',
  },
  'receipts:verifiers': {
    says: 'docs/receipts.md has verifiers for Node, Python and Go that work as printed.',
    from: 'product 12',
  },
  'receipts:verify-command': {
    says: '`bellhop verify` checks a receipt or a captured request against the public keys.',
    from: 'product 12',
  },
  // ── policies ──
  'policies:first-match': {
    says: 'Policies of a tool are asked in their order; the first whose condition is true of the validated input, the tool and the requester decides. A condition that cannot be evaluated is no match, and such a call is not automatic.',
    from: 'product 12',
  },
  'policies:automatic-yes': {
    says: 'Every automatic yes is an approval with the digest of the request, decided by the policy.',
    from: 'product 12',
  },
  'policies:cap': {
    says: 'An automatic policy has a cap of calls, and of a sum if wanted, in any hour or day. It is counted in the transaction that stores the call before it is sent; beyond it, people are asked.',
    from: 'product 12',
  },
  'policies:across-replicas': {
    says: 'Any number of calls at once, in any number of processes, never exceed a cap together.',
    from: 'product 12',
  },
  'policies:stricter-only': {
    says: 'A policy can deny a call, or make it ask or need a confirmation, whatever the permission of the tool is.',
    from: 'product 12',
  },
  'policies:never-beyond-limits': {
    says: 'No policy is automatic without a cap, for a destructive tool, above a ceiling, or for a webhook that it does not name.',
    from: 'product 12',
  },
  'policies:paused-by-surprise': {
    says: 'An edit of the tool or its connector, or the denial of a call that it covers, stops an automatic policy at once, until an admin activates it again.',
    from: 'product 12',
  },
  'policies:backtest': {
    says: 'A policy is tried on recorded decisions before it is saved: how many it covers, how many of those were denied, largest, sum, per day, and beyond the cap.',
    from: 'product 12',
  },
  'policies:similar-calls': {
    says: 'From a waiting call, also on its card in Slack, an admin opens a prefilled policy: the same inputs, numbers as upper bounds, 20 calls a day, for 7 days. Creating it approves the call.',
    from: 'product 12',
  },
  'policies:daily-line': {
    says: 'When a day is over, one line in each channel says what each policy let through there without asking.',
    from: 'product 12',
  },
  'policies:shadow': {
    says: 'In shadow, people still decide, and the policy shows how often they decided as it would have.',
    from: 'product 12',
  },
  'policies:suggestions': {
    says: 'Suggested policies are sets and upper bounds drawn from approvals that were never denied; a value that was approved only once or twice does not widen them.',
    from: 'product 12',
  },
  'approvals:wait-together': {
    says: 'Several calls of one step may wait together while reads proceed.',
    from: 'product 4',
  },

  // ── runs ──
  'runs:whole-body-in-context': {
    says: 'The whole body is given to the agent as structured context.',
    from: 'spec 1, spec 4.1',
  },
  'runs:follows-prompt': {
    says: 'The webhook’s prompt instructs the agent.',
    from: 'spec 1, spec 2.3',
  },
  'runs:reply-in-channel': {
    says: 'The reply is posted to the webhook’s channel.',
    from: 'spec 1, spec 2.3, spec 4.1',
  },
  'runs:tools-offered': {
    says: 'The agent gets each tool with its description and unchanged schema.',
    from: 'spec 1, spec 2.2',
  },
  'runs:queued-at-once': {
    says: 'A run is readable as queued from the moment of the 200.',
    from: 'product 5',
  },
  'runs:succeeded-means-posted': {
    says: 'A run is succeeded when its reply is posted.',
    from: 'product 5',
  },
  'runs:journal': {
    says: 'Each model answer and tool result is committed before the next step; after a crash the run continues from there.',
    from: 'product 5',
  },
  'runs:suspects-by-turns': {
    says: 'Runs whose worker died twice before they made progress go on one at a time, with pauses that grow, so that only a run that kills its worker is given up. The log has the reason of each that is.',
    from: 'product 5',
  },
  'house:unclean-end': {
    says: 'The log says when a process ended without signing off, and how many runs go on.',
    from: 'product 7',
  },
  'runs:one-worker': {
    says: 'At most one worker advances a run; one that lost its lease cannot commit a step, begin a call or change what is stored of one, and sends no write that it had begun before it was suspended.',
    from: 'security C',
  },
  'runs:no-repeated-write': {
    says: 'A write whose outcome is unknown is never repeated automatically; agent and operator see outcome_unknown.',
    from: 'product 5',
  },
  'runs:steady-load': {
    says: 'Under a steady load no accepted event is lost and each gets one reply; npm run soak reports memory, processor time, table sizes and dead rows, and what an idle service uses afterwards.',
    from: 'product 7',
  },
  'runs:writes-in-order': {
    says: 'The writes of a step are sent one at a time, in the model’s order; if one fails by a fault of ours, those after it are not sent.',
    from: 'product 5',
  },
  'runs:outbox': {
    says: 'The reply text is committed before it is posted, and posting is retried without the model.',
    from: 'product 5, security C',
  },
  'runs:revisions': {
    says: 'A run names the revisions of its webhook or schedule, of the settings and of the tools that it used.',
    from: 'product 14',
  },
  'runs:retry-post': {
    says: 'An operator can have a reply posted again that could not be posted; the model is not asked again.',
    from: 'product 5, product 7',
  },
  'runs:failure-notice': { says: 'A failed run posts one short notice.', from: 'product 2' },
  'runs:unanswered-told': {
    says: 'Somebody who writes to the agent and cannot be answered, because not even a run could be started, is told so once in the thread.',
    from: 'product 2',
  },
  'runs:turn-says-who-when-where': {
    says: 'Each turn tells the time with its zone, who asks with their role, whether they may approve, and that only the thread is seen; the system part never changes between turns.',
    from: 'product 9.2',
  },
  'runs:same-prefix': {
    says: 'Two turns of a thread share everything before the new turn, byte for byte, so that providers’ caches hit.',
    from: 'product 9.2',
  },
  'runs:live-plan': {
    says: 'Somebody who mentions the agent on a chat platform sees a sign within a second; a run that takes longer than 5 s shows its tools and what became of each in one message, which is edited while it works and sealed when it is over, whatever became of the process. In Slack, Mattermost and Discord operators and whoever asked cancel the run there. The reply comes whole, once.',
    from: 'product 13',
  },
  'runs:messages-fenced': {
    says: 'Every message stands between marks with its author and role; quoted and forwarded parts are apart from the request, and no line in a message can pass for another turn.',
    from: 'product 9.3',
  },
  'runs:withdraw-call': {
    says: 'A turn in a thread lists the calls that wait for a decision there; withdraw_call takes one back for whoever asked for it or may approve it, its run is told, and its card says by whom.',
    from: 'product 9.4',
  },
  'runs:early-reply': {
    says: 'When a run starts to wait for a decision, what the model wrote beside the call is posted as its reply, with the question in its thread; the same message becomes the final text. Still one reply per run.',
    from: 'product 9.5',
  },
  'runs:waiting-shown': {
    says: 'A request that waits because all places for chat runs are taken says so in its thread; the number of places is a setting.',
    from: 'product 9.13',
  },
  'runs:silence-only-where-allowed': {
    says: 'A run ends without a message only if the webhook allows silence, or in a thread whose newest message does not mention the agent. NO_REPLY counts with any markup or punctuation, as the whole text or its first or last line.',
    from: 'product 2',
  },
  'runs:own-context': {
    says: 'A webhook run sees its prompt and its event and nothing else of the channel.',
    from: 'product 5',
  },
  'runs:thread-continues': {
    says: 'A follow-up in the thread continues with the payload and all prior turns in context; of a thread that does not fit, with the newest part.',
    from: 'product 5',
  },
  'runs:settings-recorded': {
    says: 'Prompt, tools and model are read at the start of a run and recorded with it.',
    from: 'product 5',
  },
  'runs:budgets': {
    says: 'A run ends with a notice after 30 steps, 10 minutes of work, its tokens or its cost; one step makes at most 32 calls, and a reply has at most 40,000 characters.',
    from: 'product 5',
  },
  'runs:webhook-budgets': {
    says: 'A breach of runs per hour or cost per day pauses the webhook with a notice in the channel.',
    from: 'product 5',
  },
  'runs:pause-agent': {
    says: 'Pause agent accepts and keeps events, starts nothing and calls no tool.',
    from: 'product 5',
  },
  'runs:fenced': {
    says: 'Untrusted text is fenced with a random delimiter, labelled as data, and never in the system part.',
    from: 'product 5, security F',
  },
  'runs:reply-hygiene': {
    says: 'Replies carry no mass mentions, no unfurled links, no remote images, and no invisible, tag or direction-changing characters.',
    from: 'security F',
  },
  'runs:big-bodies': {
    says: 'Bodies and answers are given whole while they fit and in pages after that.',
    from: 'product 5',
  },
  'runs:full-pages': {
    says: 'Small answers of a step are shown whole, the long ones share the rest, and a page uses at least nine tenths of its room.',
    from: 'product 9.7',
  },
  'runs:read-more': {
    says: 'The model can read on, read the end and search in what was too long; each note says exactly what to send next, and the last page that it is the last.',
    from: 'product 9.7',
  },
  'runs:calculate': {
    says: 'The agent can calculate with exact decimals: sums, averages, extremes, percentages.',
    from: 'product 9.8',
  },
  'runs:earlier-events': {
    says: 'In a run about an event, and in threads about it, the agent finds earlier events of the same source by their words, with the replies to them; only those handled in the same channel.',
    from: 'product 9.8',
  },
  'runs:tools-say-needs': {
    says: 'The description of each tool ends with what a call needs: it reads, asks an admin, or asks and is confirmed in the channel.',
    from: 'product 9.8',
  },
  'runs:scope': {
    says: 'A run is offered the tools of the connectors in the list of its webhook, else of its channel; a thread keeps the list and the ceiling of the webhook that began it.',
    from: 'product 4, product 5',
  },
  'runs:helpful-errors': {
    says: 'What the model is told about a call helps it on: a read that timed out may be tried again, one that was put off (429) is repeated once after the wait of up to 60 s, an unknown tool names the nearest five, an approval names who gave it and why, and a dry run refuses what a real one would be refused.',
    from: 'product 9.10',
  },
  'runs:prompt-shown': {
    says: 'Operators see what the model was sent at the first step as a person reads it, in parts with bytes and estimated tokens.',
    from: 'product 9',
  },
  'runs:lean-prompt': {
    says: 'The documentation says how long the first request is with 4, 40 and 400 tools.',
    from: 'product 9',
  },
  'runs:many-tools': {
    says: 'Above a threshold tools are found and loaded on demand, schemas unchanged; in a thread, those that were found stay shown.',
    from: 'product 5',
  },
  'runs:cancel': {
    says: 'A run can be cancelled; what waits for it ends with it.',
    from: 'product 7',
  },
  'runs:timeline': {
    says: 'A run shows its steps, tool calls with request, decision and answer, reply, usage and why it ended.',
    from: 'product 7',
  },
  'runs:trace-times': {
    says: 'A run tells how long the model, the requests of tools, the waiting for a decision, the pauses before a model is asked again and the posting took, each apart, and keeps the model calls that failed.',
    from: 'product 7',
  },
  'runs:model-errors': {
    says: 'Rate limits, failures, malformed calls, empty answers and overflow are each retried, fed back or ended with a notice.',
    from: 'product 5',
  },

  // ── thumbs ──
  'thumbs:one': {
    says: 'Whoever may see a run may rate its reply, up or down; one thumb for each person and reply, which can be changed and withdrawn. A thumb down may say why.',
    from: 'product 14',
  },
  'thumbs:shown': {
    says: 'Thumbs are shown with the run, in lists of runs and on the message in the channel, and runs can be found by them.',
    from: 'product 14',
  },
  'thumbs:slack': {
    says: 'In Slack a reply has buttons for thumbs, and a thumb down asks for a reason that only the person sees.',
    from: 'product 14',
  },
  'thumbs:reactions': {
    says: 'In Discord and Mattermost the reactions 👍 and 👎 to a reply are thumbs, until they are taken back. People whom the agent does not answer cannot rate it.',
    from: 'product 14',
  },
  'thumbs:erased': {
    says: 'Thumbs and their reasons are erased with the run.',
    from: 'product 14',
  },

  // ── rehearsals ──
  'rehearsals:outcomes': {
    says: 'A rehearsal replays past events with a change that is not saved, and tells for each what really happened, what would happen now, and how the two differ; writes are compared by tool and input.',
    from: 'product 14',
  },
  'rehearsals:no-writes': {
    says: 'A rehearsal sends no write, asks nobody and posts nothing; reads are answered from the recording, and what it lacks is told, never invented.',
    from: 'product 14',
  },
  'rehearsals:no-change': {
    says: 'Without a change a rehearsal sends the model the same bytes and finds the same outcome.',
    from: 'product 14',
  },
  'rehearsals:rules': {
    says: 'Rules are rehearsed on events that started no run, too.',
    from: 'product 14',
  },
  'rehearsals:apart': {
    says: 'Runs of rehearsals are in no list and in no figure.',
    from: 'product 14',
  },
  'rehearsals:budget': {
    says: 'A rehearsal needs a budget, begins no event that would exceed the budget, and says how far it got.',
    from: 'product 14',
  },
  'rehearsals:choice': {
    says: 'A rehearsal takes the last events, those of a condition or a time, named ones, or cases.',
    from: 'product 14',
  },
  'rehearsals:live': {
    says: 'A rehearsal may read live; writes are stopped all the same.',
    from: 'product 14',
  },
  'rehearsals:yields': {
    says: 'A rehearsal has a quarter of the places of runs at most, beside theirs, and can be canceled.',
    from: 'product 14',
  },
  'rehearsals:survives': {
    says: 'A rehearsal survives `kill -9` and compares each event once.',
    from: 'product 14',
  },
  'rehearsals:erase': {
    says: 'Erasing an event erases what rehearsals kept of it.',
    from: 'product 14',
  },

  'rehearsals:nightly': {
    says: 'The latest events of a webhook can be rehearsed with another model every night, within a budget; off by default. One line says whether anything changes, and what it costs in comparison. A night that could not be started is started as soon as it can be, once.',
    from: 'product 14',
  },

  // ── cases ──
  'cases:checks': {
    says: 'An event is kept as a case with checks: must call, must not call, must mention, a value in the input of a tool equals, no reply. A check passes only if the run succeeded.',
    from: 'product 14',
  },
  'cases:rehearsed': {
    says: 'A rehearsal runs all cases of a webhook, or any events, and tells for each check whether it passed.',
    from: 'product 14',
  },
  'cases:kept': {
    says: 'The event of a case and its runs are kept as long as the case, also beyond the retention period.',
    from: 'product 14',
  },
  'cases:erased': {
    says: 'Erasing the event of a case erases what the case says, and the case tells so.',
    from: 'product 14',
  },

  // ── revisions ──
  'revisions:written': {
    says: 'Every save of a webhook, schedule, tool, policy or the settings writes a revision in its transaction: who, when and what.',
    from: 'product 14',
  },
  'revisions:restore': {
    says: 'A revision is restored through the same code as a save, with the same checks and the same audit entry, as a new revision.',
    from: 'product 14',
  },
  'revisions:secrets': {
    says: 'No secret is in a revision, which says that one was changed; a restore brings no secret back.',
    from: 'product 14',
  },
  'revisions:rights': {
    says: 'A restore loosens nothing that whoever restores could not loosen, and enables nothing that changed since.',
    from: 'product 14',
  },
  'revisions:bounded': {
    says: 'The last 100 revisions of each thing are kept, until the thing is deleted.',
    from: 'product 14',
  },

  // ── models ──
  'models:providers': {
    says: 'Models are anthropic, openai, google, openai-compatible and offline.',
    from: 'product 5',
  },
  'models:offline-default': {
    says: 'Without a model setting the labelled offline agent reads the event, calls the read tools whose inputs it can fill and writes a digest.',
    from: 'product 5',
  },
  'models:configured': {
    says: 'A model is set by the environment or in settings, with its key sealed.',
    from: 'product 5',
  },
  'models:guarded-base-url': {
    says: 'A model address from the dashboard passes the guarded egress; its refusal names MODEL_BASE_URL.',
    from: 'product 8',
  },
  'models:streamed': {
    says: 'Answers are asked for as streams and read as if they had come whole; a server that refuses streams is asked without.',
    from: 'product 9',
  },
  'models:fallback': {
    says: 'A fallback model is asked when the first cannot answer for reasons that pass, never for a refusal; no tool call is repeated, the switch is announced once, and the first model is asked again after 5 minutes.',
    from: 'product 9.12',
  },
  'models:outage': {
    says: 'After three runs in a row without an answer of the model, events that need it wait; it is asked now and then, one notice tells the beginning and one the end.',
    from: 'product 9',
  },
  'models:output-limit': {
    says: 'The most tokens of one answer of a model is a setting.',
    from: 'product 9.12',
  },
  'models:silence': {
    says: 'A model call without a byte for 60 s (a setting) is given up and tried again; from half of that time on, the run and the log say so.',
    from: 'product 9',
  },
  'models:exact-numbers': {
    says: 'Numbers in a tool’s input are validated, shown, recorded and sent as the model, an MCP client or a person wrote them, however long.',
    from: 'product 3, product 5',
  },
  'models:bounded': {
    says: 'An answer of the model is bounded in length, values and nesting before anything parses it: a call nested too deeply is refused, any other excess ends the run.',
    from: 'security F',
  },
  'models:no-other-calls': {
    says: 'The model is called only for the steps of a run and for Test model.',
    from: 'product 5',
  },
  'models:wire-unchanged': {
    says: 'Schemas and bodies reach the provider unchanged, $ref, anyOf and big integers included.',
    from: 'spec 2.2',
  },
  'models:test-model': {
    says: 'Test model reports whether the model answers, and if not, why.',
    from: 'product 5',
  },

  // ── chat ──
  'chat:built-in-workspace': {
    says: 'A built-in workspace with channels, threads and live messages works without any configuration.',
    from: 'spec 1, product 1',
  },
  'chat:own-messages': {
    says: 'People edit and delete their own messages in the built-in workspace, and nobody else’s. A deleted text is gone at once; its place stays while a thread hangs on it. An edit starts no run.',
    from: 'product 1',
  },
  'chat:reactions': {
    says: 'People react to messages of the built-in workspace with emoji and take reactions back; everybody in the channel sees at once who reacted. A thumb on a reply of the agent is its rating, not a second one. A message has 20 different emoji at most, and a person changes 60 reactions a minute.',
    from: 'product 1',
  },
  'chat:stars': {
    says: 'Everybody stars channels for themselves, and finds the names of people to mention.',
    from: 'product 1',
  },
  'chat:notify-levels': {
    says: 'Everybody chooses for themselves what counts as unread in a channel: all messages, mentions and failed runs, or nothing. The sums, and the latest mention of which people are notified, follow it.',
    from: 'product 1',
  },
  'chat:mentions': {
    says: 'Everybody sees how many unread messages of the built-in workspace name them, by channel and in all, also those of the agent.',
    from: 'product 1',
  },
  'chat:agent-name': {
    says: 'The agent has the name that an admin gives it, in its messages and towards the model.',
    from: 'product 1',
  },
  'chat:mention-starts-run': {
    says: 'A message to the agent starts a run whose reply is in the thread.',
    from: 'spec 1, product 1',
  },
  'chat:port': {
    says: 'Every workspace is used through one interface: post, update, ask, find, list, link.',
    from: 'product 1',
  },
  'chat:inbound-durable': {
    says: 'An inbound message is stored before it is answered; none is lost, dropped or run twice.',
    from: 'security C',
  },
  'chat:thread-order': {
    says: 'Messages of one thread are handled in order.',
    from: 'product 5',
  },
  'chat:inbound-verified': {
    says: 'Inbound platform requests are verified over raw bytes with a replay window.',
    from: 'security F',
  },
  'chat:outbound-idempotent': {
    says: 'A post whose answer was lost is not posted twice.',
    from: 'product 5, security C',
  },
  'chat:outbound-rate-limits': {
    says: 'A platform’s 429 and Retry-After are obeyed; a platform that is down blocks no other.',
    from: 'security C',
  },
  'chat:splitting': {
    says: 'Long replies are split at the platform’s limits with code fences kept whole; on Slack, Discord and Mattermost, more than four messages come as the beginning and a file, and a table of more than 100 rows as its first rows and a CSV file.',
    from: 'product 5',
  },
  'chat:thread-context': {
    says: 'A mention in a thread that others began gives the agent its first message and the newest others (50 messages, or a quarter of the context window), the posts of apps included, between marks with author and kind. It is recorded with the run, shown and erased with it; a channel can switch it off; a thread that may not be read is named in the reply with what is missing.',
    from: 'product 13',
  },
  'chat:watch': {
    says: 'A watched channel (Slack, Mattermost, Discord, built-in) turns messages of apps or people outside threads that match a condition into events of the one ledger, answered in their threads; never our own. It has a ceiling, a limit of runs an hour at which it is paused and says so in the channel, and a pause.',
    from: 'product 13',
  },
  'chat:files-in': {
    says: 'What is attached to a message that calls the agent (Slack, Mattermost, Discord, built-in: at most 8 files) is read by its bytes, not its name: images of at most 5 MB go to models that take them, text and PDF as pages with read_more, and what cannot be read is named with the reason. Files come from the platform’s own hosts only, the token goes nowhere else, PDFs are read in a thread with limits, and all of it is erased with the message.',
    from: 'product 13',
  },
  'chat:slack-socket': {
    says: 'Slack works without a public address, over Socket Mode: an envelope is acknowledged only after it is stored, connections overlap when Slack replaces one, and what was said while none was open is read from the history.',
    from: 'product 13',
  },
  'chat:slack-commands': {
    says: 'In Slack, /bellhop asks the agent, shows its status and what waits for a decision, and links an account; the shortcut of a message asks about it in its thread.',
    from: 'product 13',
  },
  'chat:cards': {
    says: 'Approvals and confirmations are cards that are updated in place when decided, expired or void.',
    from: 'product 4',
  },
  'chat:only-buttons-decide': {
    says: 'A typed yes or a reaction decides nothing.',
    from: 'product 4',
  },
  'chat:unlinked-click-refused': {
    says: 'A click by an unlinked identity is refused with a hint and leaves the card as it is.',
    from: 'product 6',
  },
  'chat:slack': {
    says: 'Slack works: mentions, threads, buttons, replies.',
    from: 'product 1',
  },
  'chat:discord': {
    says: 'Discord works: mentions, direct messages, threads, buttons, replies.',
    from: 'product 1',
  },
  'chat:teams': {
    says: 'Microsoft Teams works: mentions, threads, buttons, replies.',
    from: 'product 1',
  },
  'chat:telegram': {
    says: 'Telegram works: mentions, replies, buttons.',
    from: 'product 1',
  },
  'chat:google-chat': {
    says: 'Google Chat works: mentions, threads, buttons, replies.',
    from: 'product 1',
  },
  'chat:mattermost': {
    says: 'Mattermost works: mentions, direct messages, threads, buttons, replies.',
    from: 'product 1',
  },
  'chat:strangers': {
    says: 'People whom nobody has admitted are told so and get no answer: on Telegram anybody who is not linked, except in a group with a linked person or a webhook; on Slack people of another organisation.',
    from: 'security F',
  },
  'chat:private-channels': {
    says: 'Messages and runs of a private channel on an external platform are not shown to members, except to those who asked there.',
    from: 'security F',
  },
  'chat:channel-stays-deleted': {
    says: 'A deleted channel of a chat platform comes back only when an operator refreshes the channels, never by what is written there.',
    from: 'product 7',
  },
  'chat:direct-private': {
    says: 'Runs and approvals of a direct conversation on an external platform are shown only to its person and to admins.',
    from: 'security F',
  },
  'chat:workspace-health': {
    says: 'A workspace shows its last event, post and error, and sends a test message.',
    from: 'product 7',
  },
  'chat:stream': {
    says: 'The messages of a channel arrive live over SSE.',
    from: 'product 7',
  },
  'chat:tokens-sealed': {
    says: 'The tokens of a workspace are sealed and never come back.',
    from: 'security D',
  },

  // ── mcp ──
  'mcp:fields': {
    says: 'A remote MCP connector has name, url and authentication.',
    from: 'spec 9, product 7',
  },
  'mcp:transports': {
    says: 'Streamable HTTP is used first; the revision without a handshake, then HTTP with SSE, for servers that know only that.',
    from: 'spec 9',
  },
  'mcp:discovery': {
    says: 'The tools of a server are discovered, all pages, and one bad tool hides no other.',
    from: 'spec 9',
  },
  'mcp:schema-unchanged': {
    says: 'Discovered schemas and descriptions are passed on unchanged.',
    from: 'spec 2.2, security F',
  },
  'mcp:guarded': {
    says: 'Every request of both transports goes through the guarded egress with the credentials of the connector.',
    from: 'spec 9, security A',
  },
  'mcp:nothing-callable-by-itself': {
    says: 'A discovered tool is callable only after a person has enabled it.',
    from: 'security F',
  },
  'mcp:annotations-are-hints': {
    says: 'readOnlyHint suggests read, destructiveHint destructive, anything else write; a person decides.',
    from: 'security F',
  },
  'mcp:pinned': {
    says: 'A tool that changes after approval is quarantined with a diff until an admin accepts it.',
    from: 'security F',
  },
  'mcp:list-changed-never-widens': {
    says: 'list_changed never gives a running run more tools.',
    from: 'security F',
  },
  'mcp:names': {
    says: 'Names are namespaced; collisions and look-alikes are refused.',
    from: 'security F',
  },
  'mcp:results-unchanged': {
    says: 'Text, structured content, images, links and isError reach the agent unchanged; what structured content repeats is given once, and bytes never as text.',
    from: 'spec 2.2',
  },
  'mcp:interrupted-write': {
    says: 'A write that is interrupted has an unknown outcome and is never repeated.',
    from: 'product 5',
  },
  'mcp:oauth-hint': {
    says: 'A server that demands OAuth is reported as one where somebody must sign in; its links are not followed by themselves.',
    from: 'spec 9, product 9.11',
  },
  'mcp:served': {
    says: '/mcp serves the enabled tools to MCP clients with an API key, through the same gate; it hands on the blocks of MCP servers, refuses unknown tools with -32602 and reports progress.',
    from: 'product 7',
  },
  'mcp:protected-resource': {
    says: '/mcp is a protected resource (RFC 9728): with an OpenID provider, its 401 leads clients there, and its tokens for /mcp act with the rights of the person.',
    from: 'product 9.11',
  },
  'mcp:conformance': {
    says: 'The conformance suite of MCP finds in Bellhop as a client nothing but what is listed with its reason.',
    from: 'product 9.11',
  },
  'mcp:real-servers': {
    says: 'Servers that others wrote are connected, listed and called over HTTP as they come from npm.',
    from: 'product 9.11',
  },
  'mcp:input-needed': {
    says: 'A server that asks a person something during a call is reported as input_needed with its question.',
    from: 'product 9.11',
  },
  'mcp:resources': {
    says: 'Resources of an MCP server, and templates of them, are listed, enabled, pinned and read like tools that read.',
    from: 'product 9.11',
  },
  'mcp:prompts': {
    says: 'Prompts of connected MCP servers are suggested in the form of a webhook, with their arguments.',
    from: 'product 9.11',
  },
  'mcp:asks-person': {
    says: 'What a server asks in the middle of a call is asked of the person who wrote to the agent, who alone can answer; forms that want a secret are not shown.',
    from: 'product 9.11',
  },
  'mcp:refresh': {
    says: 'Tools are discovered again on demand and on a schedule; those that disappear are shown as gone.',
    from: 'product 7',
  },

  // ── oauth of connectors ──
  'oauth:discovery': {
    says: 'Where to sign in for a connector is discovered from its server (RFC 9728) or issuer (RFC 8414), or configured; it is shown with its scopes before anybody leaves.',
    from: 'product 9.11',
  },
  'oauth:registration': {
    says: 'Bellhop is the client that was given, or its metadata document, or registers itself, or says what to register with the callback URL.',
    from: 'product 9.11',
  },
  'oauth:grant': {
    says: 'Only an admin connects; the grant reads back without tokens and names the account that approvals act as; a disconnect revokes it.',
    from: 'product 9.11',
  },
  'oauth:refresh-once': {
    says: 'However many replicas need a new token, one asks for it; a refresh does not change the connector’s version, a reconnect does.',
    from: 'product 9.11',
  },
  'oauth:reconnect': {
    says: 'A grant that the server ends becomes reconnect, with one notice, and is not asked for again.',
    from: 'product 9.11',
  },
  'oauth:killed-refresh': {
    says: 'A process that is killed between the answer with a token and its commit leads to reconnect with one notice, never to a loop.',
    from: 'product 9.11',
  },
  'oauth:pinned': {
    says: 'Tokens and client secrets go only to the authorization server that was confirmed; another issuer, origin or client ends the grant.',
    from: 'product 9.11',
  },
  'oauth:state': {
    says: 'A sign-in is used once, within ten minutes, by the session that began it, and its answer must name the right issuer (RFC 9207).',
    from: 'product 9.11',
  },
  'oauth:client-credentials': {
    says: 'Auth type oauth_client gets tokens with client credentials, once for all replicas.',
    from: 'product 9.11',
  },

  // ── api ──
  'api:unknown-is-json': {
    says: 'An unknown path below /api, /mcp, /oauth, /chat, /hooks or /.well-known answers 404 as JSON, never the dashboard.',
    from: 'product 9.11',
  },
  'api:openapi': {
    says: '/api/openapi.json describes every route, and every answer is as it describes; /api/docs shows it.',
    from: 'product 7',
  },
  'api:lists': {
    says: 'Lists are items and nextCursor with limit 1 to 100, default 50, and never skip or repeat a row.',
    from: 'product 7',
  },
  'api:filters': {
    says: 'Lists filter by status, webhookId, runId and channelId.',
    from: 'product 7',
  },
  'api:search': {
    says: 'Webhooks, connectors, users, API keys and channels are found by part of their text.',
    from: 'product 7',
  },
  'api:merge-patch': { says: 'PATCH is a JSON merge patch.', from: 'product 7' },
  'api:camel-case': { says: 'All JSON of the API is camelCase.', from: 'product 7' },
  'api:shapes': {
    says: 'Webhook, event, run, approval, channel and message have the documented fields.',
    from: 'product 7',
  },
  'api:settings': {
    says: 'Settings are read by operators and changed by admins.',
    from: 'product 7',
  },
  'api:unknown-parameters': {
    says: 'A query parameter that an operation does not name is ignored, by every operation alike; the API description says so.',
    from: 'house',
  },
  'api:sorted-runs': {
    says: 'Runs that have ended are sorted by cost or duration, over all pages; each run names the tools it called.',
    from: 'product 7',
  },
  'api:sorted-webhooks': {
    says: 'Webhooks are sorted over all pages by trouble, name, state, last event, channel, events or success; a value that is none of these is refused with their names. Each says what it did in the last 24 hours.',
    from: 'product 7',
  },
  'api:find-runs': {
    says: 'Runs are found by state, webhook, schedule, channel, trigger, time, text, tool, model and cost.',
    from: 'product 7',
  },
  'api:figures': {
    says: 'Figures by webhook, schedule, tool, model, channel and revision: calls, failures, p95, cost, approvals asked and denied, and thumbs, over up to 90 days, in the API and as CSV.',
    from: 'product 14',
  },
  'api:stats': {
    says: 'Events, runs, time to the reply, tokens and cost are counted by hour and by webhook, without reading older data.',
    from: 'product 7',
  },
  'api:stats-compared': {
    says: 'Statistics cover up to 90 days, by day beyond a week, by model too, with refused deliveries and the figures of the span before.',
    from: 'product 7',
  },
  'api:stats-rolled': {
    says: 'Hours that are over are counted once; figures made from them equal a count of every run.',
    from: 'performance',
  },
  'api:live-changes': {
    says: 'One stream reports which records changed, in any process, by id only and only to those who may read them.',
    from: 'product 7',
  },
  'api:streams-bounded': {
    says: 'One person or key holds at most 32 streams, and a stream that nobody reads uses bounded memory.',
    from: 'security C',
  },
  'api:about': {
    says: 'Operators can read version, database, replicas, the encryption key in use and free space.',
    from: 'product 7',
  },
  'api:connectors-crud': {
    says: 'Connectors and tools are created, read, updated and deleted over the API; `tools=changed` lists connectors with only the tools to review.',
    from: 'spec 4.3, product 7',
  },
  'api:webhooks-crud': {
    says: 'Webhooks are created, read, updated and deleted over the API.',
    from: 'spec 4.3, product 7',
  },

  // ── cli ──
  'cli:replay-failed': {
    says: '`bellhop replay-failed` replays the events whose runs failed with an error since a time.',
    from: 'product 9',
  },
  'cli:schedules': {
    says: '`bellhop schedules` lists the schedules with their times and outcomes, and runs one by its name or id.',
    from: 'product second 10',
  },
  'cli:rehearse': {
    says: '`bellhop rehearse` tries what a file would change on past events, fails by its exit code if an outcome is not allowed, and writes JSON and JUnit.',
    from: 'product 14',
  },
  'cli:help': {
    says: 'bellhop --help lists every command on one line each; an unknown command is reported and fails.',
    from: 'product 8',
  },
  'cli:migrate': {
    says: 'bellhop migrate brings the database up to date and says what it did.',
    from: 'product 8',
  },
  'cli:doctor': {
    says: 'bellhop doctor prints the effective configuration, each egress exception and what is wrong.',
    from: 'product 8, security A6',
  },
  'cli:backup': {
    says: 'bellhop backup copies the embedded database and its key while the service runs; a service started on the copy has everything that was accepted before.',
    from: 'product 8',
  },
  'cli:restored-paused': {
    says: 'The first start on a backup pauses the agent, ends calls that were under way as outcome_unknown, and says so in the log, the dashboard and doctor.',
    from: 'product 5',
  },
  'cli:user-create': {
    says: 'bellhop user create makes a user with a role.',
    from: 'product 8',
  },
  'cli:user-reset-password': {
    says: 'bellhop user reset-password prints a one-time link.',
    from: 'product 8',
  },
  'cli:key-create': {
    says: 'bellhop key create prints a new API key once.',
    from: 'product 8',
  },
  'cli:rotate-encryption-key': {
    says: 'bellhop rotate-encryption-key re-seals every secret.',
    from: 'product 8, security D',
  },
  'cli:export': {
    says: 'bellhop export writes connectors and webhooks as a file without secrets.',
    from: 'product 8',
  },
  'cli:apply': {
    says: 'bellhop apply brings connectors and webhooks to what a file says, with secrets from the environment.',
    from: 'product 8',
  },

  // ── dashboard ──
  'dashboard:first-run': {
    says: 'From the one-time link a newcomer creates an admin, a webhook and a first event, and sees the reply.',
    from: 'product 8',
  },
  'dashboard:language-of-numbers': {
    says: 'Each person chooses the language in which the dashboard writes dates and numbers.',
    from: 'product 7',
  },
  'dashboard:charts': {
    says: 'Charts cover 24 hours to 90 days, are read by mouse, touch and keyboard or as a table, and a bar leads to the list it counts.',
    from: 'product 7',
  },
  'dashboard:compared': {
    says: 'Home compares each figure with the period before, in words and as a line in its chart, and says if there is nothing to compare with.',
    from: 'product 7',
  },
  'dashboard:home': {
    says: 'Home shows what needs attention now, live activity and charts.',
    from: 'product 7',
  },
  'dashboard:configure-connectors': {
    says: 'Connectors and tools are created, edited, tested and tried in the dashboard.',
    from: 'spec 1, spec 4.3',
  },
  'dashboard:schedules': {
    says: 'Schedules are listed, created with their times in words and presets that fill in the cron expression, run now, paused, changed and deleted in the dashboard.',
    from: 'product second 10',
  },
  'dashboard:conditions': {
    says: 'The condition of a policy or rule is chosen as field, comparison and value, written as CEL that stays shown, and read back where it is a list of comparisons.',
    from: 'product 12',
  },
  'dashboard:logos': {
    says: 'A connector of a well-known service has its logo, by the domain of its address; so have webhooks, by how they are verified or by their name, also as the author of messages, and the senders that a new webhook begins with. Others have the first letter of their name.',
    from: 'product 7',
  },
  'dashboard:configure-webhooks': {
    says: 'Webhooks are created, edited, rotated and tested in the dashboard, with the URL to copy.',
    from: 'spec 1, spec 4.3',
  },
  'dashboard:sources': {
    says: 'A new webhook begins with its sender, which sets verification, a sample event, a prompt and a thread key to start from; what somebody wrote stays. The page of the webhook lists the steps on the sender’s own pages.',
    from: 'product 7',
  },
  'dashboard:runs-live': {
    says: 'Runs are followed live, each as a timeline.',
    from: 'product 7',
  },
  'dashboard:trace': {
    says: 'The page of a run is a trace: what all of its time went to, one row per step with its cost on a common axis, who decided, which model calls failed, and beside it the chosen step with input, request and answer.',
    from: 'product 7',
  },
  'dashboard:trace-live': {
    says: 'The common axis of a trace has ticks, one step can be shown as large as the axis, and the bar of a step that is at work grows.',
    from: 'product 7',
  },
  'dashboard:trace-range': {
    says: 'A range of a trace is chosen by dragging on its axis, and fills it. What is zoomed to, and the chosen step, are in the link.',
    from: 'product 7',
  },
  'dashboard:approvals': {
    says: 'Approvals are decided in the dashboard with the rendered request in view.',
    from: 'product 4',
  },
  'dashboard:triage': {
    says: 'Pending approvals are a queue, the first to expire at the top, equal requests in one line and several of one tool under its name, which is decided by keyboard, one by one or several of one tool together; the history has decided ones only.',
    from: 'product 4',
  },
  'dashboard:triage-table': {
    says: 'Pending calls of one tool are a table: a row for each, a column for each input that differs, and what all have in common said once. Some or all are selected and decided together.',
    from: 'product 4',
  },
  'dashboard:webhook-flow': {
    says: 'The page of a webhook shows the way of an event as a picture, from the sender to the channel, with what happened at each station in 24 hours and red where it breaks, and its runs over time.',
    from: 'product 7',
  },
  'dashboard:lists': {
    says: 'Lists are sorted by their columns as a whole, not among the rows that are loaded, with the order in the URL and trouble first, on a phone by a menu; the names of the columns stay in view; several rows are selected and replayed, canceled, deactivated, disabled or turned off together. Columns can be left out or added, and filters, order and columns are kept as views under a name, which follow the person.',
    from: 'product 7',
  },
  'dashboard:reactions': {
    says: 'In a channel and a thread, emoji below a message say how many people reacted and who; one click joins or takes back, and others are picked by pointer or keyboard. Of many, the first eight and the reader’s own are shown until the rest is asked for.',
    from: 'product 7',
  },
  'dashboard:thumbs': {
    says: 'A reply is rated where it is shown, in the channel and on the page of its run; a thumb down asks why, and the reason is shown with the run.',
    from: 'product 14',
  },
  'dashboard:figures': {
    says: 'A page shows the figures by webhook, schedule, tool, model and channel in one table, and downloads them as CSV.',
    from: 'product 14',
  },
  'dashboard:cases': {
    says: 'A bad reply is one click from a case. The cases of a webhook are listed with their checks and last result, and run together.',
    from: 'product 14',
  },
  'dashboard:rehearse': {
    says: 'Changes of a webhook or schedule are rehearsed beside Save; a new write stops the save until somebody says so.',
    from: 'product 14',
  },
  'dashboard:events': {
    says: 'The ledger shows events with their exact bytes and replays them.',
    from: 'product 7',
  },
  'dashboard:channels': {
    says: 'The built-in workspace is used in the dashboard. A click on a channel puts the caret into its message field.',
    from: 'product 1',
  },
  'dashboard:notify-levels': {
    says: 'In a channel’s menu and beside its conversation everybody chooses what counts as unread there: all messages, mentions and failures, or nothing. A muted channel is dimmed in the list, with a crossed-out bell.',
    from: 'product 1',
  },
  'dashboard:channel-width': {
    says: 'The list of channels is as wide as its reader likes: the line beside it is dragged, or moved with arrow keys, a double click resets it, and the browser keeps the width. Phones have no such line.',
    from: 'product 1',
  },
  'dashboard:mentions': {
    says: 'Unread messages that name the reader are marked in the list of channels and counted in the sidebar, on the closed menu of a phone and in the title of the tab; other unread messages are a dot in the sidebar. People who turn notifications on see new mentions on their computer while the tab is hidden.',
    from: 'product 1',
  },
  'dashboard:conversation': {
    says: 'Each reply in a channel names the source and the event it answers; an unread channel opens at what is new, and what came while another tab was open is marked, too; opening a thread does not move the list; a run at work is shown and can be canceled. People, channels and emoji are completed while they are typed, own messages are changed in place, and unread and starred channels come first. In a message, lines stay lines, `:tada:` is 🎉, names of people stand out, and names of channels lead there.',
    from: 'product 1',
  },
  'dashboard:settings': {
    says: 'Models, workspaces, users, keys, sessions, limits and the audit log are settings.',
    from: 'product 7',
  },
  'dashboard:roles': {
    says: 'Nobody is offered what the server would refuse.',
    from: 'product 6',
  },
  'dashboard:oauth': {
    says: 'The page of a connector says where somebody signs in and with which scopes, whom it is connected as, and reconnects and disconnects it; Home shows what must be reconnected.',
    from: 'product 9.11',
  },
  'dashboard:text-never-html': {
    says: 'Agent and payload text is never HTML.',
    from: 'security G',
  },
  'dashboard:same-validation': {
    says: 'Errors from the API are shown at their field, and what was typed stays.',
    from: 'product 7',
  },
  'dashboard:typed-stays': {
    says: 'Unsaved input in a form is still there after visiting another page; passwords and keys are not kept.',
    from: 'product 7',
  },
  'dashboard:palette': {
    says: 'Ctrl/⌘ K finds pages, settings, tools, messages, runs and events, also by id, in groups of one kind, and does the most common actions and those of the page. With nothing typed it lists what was opened last; ? shows the shortcuts.',
    from: 'product 7',
  },
  'dashboard:go-keys': {
    says: 'g and a letter open each page of the menu, as the list of shortcuts says.',
    from: 'product 7',
  },
  'dashboard:nested-inputs': {
    says: 'What an approval is about is a labelled table, also where inputs are objects and lists within each other, on its page and on the card in the channel.',
    from: 'product 4',
  },
  'dashboard:formatting': {
    says: 'A message is formatted by keys and buttons that write Markdown, and that can be undone; a preview shows what it will look like.',
    from: 'product 1',
  },
  'dashboard:search': {
    says: 'Long lists are searched on the server; the search is part of the page’s URL.',
    from: 'product 7',
  },
  'dashboard:one-request-per-page': {
    says: 'A page of a list is one request: its rows include the names of what they refer to.',
    from: 'product 7',
  },
  'dashboard:confirm': {
    says: 'A question comes only before what would be lost or brought back; a switch of one click is saved without one.',
    from: 'product 7',
  },
  'dashboard:history': {
    says: 'History lists every save with a diff and restores one, the same for webhooks, schedules, tools, policies and the settings; a run links to the revisions it used.',
    from: 'product 14',
  },
  'dashboard:no-external-requests': {
    says: 'Pages load nothing from outside.',
    from: 'security G',
  },
  'dashboard:accessible': {
    says: 'No page has a serious accessibility fault.',
    from: 'product 7',
  },
  'dashboard:font': {
    says: 'Pages come with their own font (Inter, Latin letters), so that they look alike on every system.',
    from: 'product 7',
  },
  'dashboard:first-page-size': {
    says: 'The first page loads less than 240 kB of compressed JavaScript.',
    from: 'performance',
  },
  'dashboard:compressed': {
    says: 'Scripts, styles and long JSON answers are compressed, streams are not: the first page is less than 300 kB over the wire.',
    from: 'performance',
  },
  'dashboard:below-a-path': {
    says: 'Under a path in PUBLIC_URL everything works as at the root of a host.',
    from: 'product 8',
  },
  'dashboard:only-api': {
    says: 'The dashboard uses only the management API.',
    from: 'product 7',
  },
} as const satisfies Record<`${keyof typeof groups}:${string}`, Requirement>

export type RequirementId = keyof typeof requirements
