export const roleOptions = [
  { value: 'member', label: 'member' },
  { value: 'operator', label: 'operator' },
  { value: 'admin', label: 'admin' },
]

export const roleWords =
  'Members chat and see runs. Operators also manage connectors and webhooks. Admins do everything and decide approvals.'
