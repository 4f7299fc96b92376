import { createHmac } from 'node:crypto'
import { sameSecret } from '../../../platform/crypto/same-secret.ts'
import { type Choice, cardToken } from '../../messages/read-choice.ts'
import { type Connection, credential } from '../connection.ts'

/**
 * Mattermost returns a button's context and shows it to no client, so a signature proves that the button is ours, and which one.
 * The key is the bot's token, which only the server and we know.
 */
export function signChoice(connection: Connection, choice: Choice): string {
  const token = choice.decision === 'cancel' ? choice.runId : cardToken(choice)
  return createHmac('sha256', credential(connection, 'botToken'))
    .update(`bellhop button ${choice.decision} ${token}`)
    .digest('base64url')
}

export function isSignedChoice(connection: Connection, choice: Choice, proof: string): boolean {
  return sameSecret(signChoice(connection, choice), proof)
}
