/** Only a place of our own: a link must not lead somebody who just typed a password to another site. */
export function safePlace(to: string | undefined): string {
  return to?.startsWith('/') && !to.startsWith('//') && !to.startsWith('/\\') ? to : '/'
}
