/**
 * What a program says about who it is. A user and password are meant for a proxy in front: browsers send them along with everything,
 * and say nothing with it here.
 */
export function readAuthorization(request: Request): string | null {
  const authorization = request.headers.get('authorization')
  return authorization !== null && /^basic /i.test(authorization) ? null : authorization
}
