import { agentFields, limitFields } from '../../pages/settings/settings-fields.ts'

/** Each field of the settings, and the page that it is on. */
const settingsFields = [
  { fields: agentFields, to: '/settings/agent' },
  { fields: limitFields, to: '/settings/limits' },
].flatMap(({ fields, to }) =>
  fields.flatMap(({ texts = [], numbers = [] }) =>
    [...texts, ...numbers].map(({ label }) => ({ label, to, role: 'admin' as const })),
  ),
)

/** What people look for in the settings: also what is not a field of those forms. */
export const soughtFields = [
  ...settingsFields,
  { label: 'Model prices', to: '/settings/limits', role: 'admin' },
  { label: 'Fallback model', to: '/settings/model', role: 'admin' },
  { label: 'Model provider and API key', to: '/settings/model', role: 'admin' },
  { label: 'Invite somebody', to: '/settings/users', role: 'admin' },
  { label: 'Create an API key', to: '/settings/keys', role: 'admin' },
  { label: 'Two-factor authentication', to: '/settings/account', role: 'member' },
  { label: 'Password', to: '/settings/account', role: 'member' },
  { label: 'Notifications', to: '/settings/account', role: 'member' },
  { label: 'Dates and numbers', to: '/settings/account', role: 'member' },
] as const
