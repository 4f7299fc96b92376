import { z } from 'zod'
import { type Connection, credential } from '../connection.ts'
import { downloadFile } from '../download-file.ts'
import type { FileReference } from '../platform.ts'
import { PlatformError } from '../platform-error.ts'
import { findMissingScopes } from './app-manifest.ts'
import { callSlack, defaultApiUrl } from './call-slack.ts'

const fileInfo = z.looseObject({ file: z.looseObject({ url_private: z.string().nullish() }) })
const needsFilesRead =
  'the app lacks `files:read`; update it with the manifest from Bellhop and install it again'

export async function fetchSlackFile(connection: Connection, { url, id }: FileReference): Promise<Buffer> {
  const found =
    url ??
    fileInfo.parse(await callSlack(connection, 'files.info', { file: id })).file.url_private ??
    // Not in the workspace any more.
    ''
  // Without the permission, Slack would give its sign-in page.
  if (findMissingScopes(connection.settings.scopes, ['files:read']).length > 0)
    throw new PlatformError('refused', needsFilesRead)
  return await downloadFile(connection, {
    platform: 'Slack',
    url: found,
    hosts: ['files.slack.com'],
    usualApi: defaultApiUrl,
    headers: { authorization: `Bearer ${credential(connection, 'botToken')}` },
  })
}
