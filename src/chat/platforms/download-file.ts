import { apiUrl, type Connection } from './connection.ts'
import { PlatformError } from './platform-error.ts'

type Asked = {
  /** The platform's name for people. */
  platform: string
  url: string
  /** The hosts on which the platform keeps files. */
  hosts: readonly string[]
  /** Where its API is unless another address is set. */
  usualApi: string
  headers?: Record<string, string>
}

/** Only from the platform's own hosts, whatever the message says: with it goes a token. Redirects are not followed. */
export async function downloadFile(connection: Connection, asked: Asked): Promise<Buffer> {
  const { platform, hosts, headers = {} } = asked
  const url = URL.parse(asked.url)
  const isOwn =
    url !== null &&
    (url.origin === new URL(apiUrl(connection, asked.usualApi)).origin ||
      (url.protocol === 'https:' && url.port === '' && hosts.includes(url.hostname)))
  if (!isOwn) throw new PlatformError('refused', `it is not kept by ${platform}`)
  const response = await connection.fetch(url, { headers })
  if (response.status >= 300 && response.status < 400)
    throw new PlatformError('refused', `${platform} asks for a sign-in instead of giving the file`)
  if (!response.ok) throw new PlatformError('refused', `${platform} answered ${response.status}`)
  return Buffer.from(await response.arrayBuffer())
}
