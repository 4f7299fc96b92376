/**
 * The Authorization header of an API client. Basic credentials are ignored: they are meant for a proxy in front, and
 * browsers send them with every request.
 */
export function readAuthorization(request: Request): string | null {
  const authorization = request.headers.get('authorization')
  return authorization !== null && /^basic /i.test(authorization) ? null : authorization
}
