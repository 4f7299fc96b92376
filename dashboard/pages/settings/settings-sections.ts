import type { Role } from '../../contract.ts'

type Name =
  | 'agent'
  | 'model'
  | 'workspaces'
  | 'limits'
  | 'history'
  | 'users'
  | 'groups'
  | 'sign-in'
  | 'keys'
  | 'signing'
  | 'audit'
  | 'account'
  | 'sessions'
  | 'about'

export type SettingsSection = { name: Name; word: string; role: Role }

/** The settings pages, and who may open them. */
export const settingsGroups: { heading: string; sections: SettingsSection[] }[] = [
  {
    heading: 'General',
    sections: [
      { name: 'agent', word: 'Agent', role: 'admin' },
      { name: 'model', word: 'Model', role: 'admin' },
      { name: 'workspaces', word: 'Workspaces', role: 'admin' },
      { name: 'limits', word: 'Limits', role: 'admin' },
      { name: 'history', word: 'History', role: 'admin' },
    ],
  },
  {
    heading: 'People and access',
    sections: [
      { name: 'users', word: 'Users', role: 'admin' },
      { name: 'groups', word: 'Groups', role: 'admin' },
      { name: 'sign-in', word: 'Sign-in', role: 'admin' },
      { name: 'keys', word: 'API keys', role: 'admin' },
      { name: 'signing', word: 'Signing keys', role: 'admin' },
      { name: 'audit', word: 'Audit log', role: 'admin' },
    ],
  },
  {
    heading: 'You',
    sections: [
      { name: 'account', word: 'Your account', role: 'member' },
      { name: 'sessions', word: 'Your sessions', role: 'member' },
    ],
  },
  { heading: 'Bellhop', sections: [{ name: 'about', word: 'About', role: 'member' }] },
]
