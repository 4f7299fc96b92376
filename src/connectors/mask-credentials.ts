const mask = '[masked credential]'

/** A warning for the operator when something was masked. */
export const maskedWarning = 'The answer held a copy of the connector’s own credential, which is masked.'

/**
 * An answer must not show the connector's own credential to the model. `credentials` has the longest first, so that masking a
 * part does not leave the rest of a longer one.
 */
export function maskCredentials(text: string, credentials: readonly string[]): string {
  return credentials.reduce((rest, secret) => rest.replaceAll(secret, mask), text)
}
