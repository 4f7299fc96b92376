const mask = '[masked credential]'

/** For the operator, where something had to be masked. */
export const maskedWarning = 'The answer held a copy of the connector’s own credential, which is masked.'

/** An answer must not hand the connector's own credential to the model. The longest come first, so that a part never hides the whole. */
export function maskCredentials(text: string, credentials: readonly string[]): string {
  return credentials.reduce((rest, secret) => rest.replaceAll(secret, mask), text)
}
