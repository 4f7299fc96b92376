const anywhere = /auth|key|token|secret|passw|passphrase|passcode|pwd|credential|signature/i
/** Only as whole words: `design` and `passenger` are harmless. */
const words = /(?<![a-z])(pass|pw|appid|sig)(?![a-z])/i

/** Whether a value of this name may be a secret. Too often is better than too rarely: all that is lost is an example. */
export function isCredentialName(name: string): boolean {
  return anywhere.test(name) || words.test(name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' '))
}
