/** Only a path on our own site: a link must not send somebody who has just typed a password to another site. */
export function localRedirect(to: string | undefined): string {
  return to?.startsWith('/') && !to.startsWith('//') && !to.startsWith('/\\') ? to : '/'
}
