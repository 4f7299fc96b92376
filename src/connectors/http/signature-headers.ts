/** The headers of receipts (RFC 9530, RFC 9421). */
export const signatureHeaders = [
  'Content-Digest',
  'Bellhop-Approval',
  'Signature-Input',
  'Signature',
] as const

/** They are written when the request is sent, since they expire. */
export const shownSignature: Readonly<Record<string, string>> = Object.fromEntries(
  signatureHeaders.map((name) => [name, '(signed when it is sent)']),
)

/** What is sent without an approval carries no proof of one. */
export function withoutSignature<Request extends { headers: Record<string, string> }>(
  shown: Request,
): Request {
  const isOther = ([name, value]: [string, string]) => shownSignature[name] !== value
  return { ...shown, headers: Object.fromEntries(Object.entries(shown.headers).filter(isOther)) }
}
