import type { AuthType } from '../../contract.ts'

/** How Bellhop can prove itself to an API, and how the secret for it is written. */
export const authWords: Record<AuthType, { label: string; secret: string }> = {
  none: { label: 'None', secret: '' },
  bearer: { label: 'Bearer token', secret: 'Sent as Authorization: Bearer …' },
  api_key: { label: 'API key in a header', secret: 'Sent as it is in the header.' },
  basic: { label: 'Name and password', secret: 'Written as username:password; Bellhop encodes it.' },
}
