import type { algorithms, keyEncodings, signatureEncodings, timestampUnits } from '../contract.ts'

type Algorithm = (typeof algorithms)[number]
type KeyEncoding = (typeof keyEncodings)[number]
export type SignatureEncoding = (typeof signatureEncodings)[number]
export type TimestampUnit = (typeof timestampUnits)[number]

/**
 * How a sender authenticates a delivery. Every preset is an instance of this, and so is what an operator configures by hand:
 * there is one engine (verify-delivery.ts) and no code per sender.
 */
export type Scheme = {
  algorithm: Algorithm
  /** How the secret's text is decoded to key bytes. */
  keyEncoding: KeyEncoding
  /** Stripped before decoding, e.g. `whsec_`. */
  keyPrefix?: string
  /** The header with the signature (or with the shared secret itself, for `equality`). */
  header: string
  /** Literal text before the signature, e.g. `sha256=`. */
  prefix?: string
  /** The header is a list of entries; only those under `key` are signatures of this scheme. */
  list?: { separator: ',' | ' '; between: '=' | ','; key: string }
  encoding: SignatureEncoding
  /** What is signed: `{body} {ts} {method} {url} {form} {header:X}` and literal text. */
  template: string
  timestamp?: Timestamp
  /** How far the signed time may differ from ours, in either direction. */
  toleranceSeconds?: number
  /** The URL's query parameter that must hold the SHA-256 of a JSON body, for senders that sign only the URL. */
  bodyHashQuery?: string
}

/** Where the signed time is: a header, an entry of the signature list, or the body. */
export type Timestamp =
  | { from: 'header'; header: string; unit: TimestampUnit }
  | { from: 'list'; key: string; unit: TimestampUnit }
  | { from: 'body'; pointer: string; unit: TimestampUnit }

/** A request as received. `rawHeaders` alternates names and values, so that duplicates stay visible. */
export type Delivery = {
  method: string
  /** The public URL that the sender called. */
  url: string
  rawHeaders: readonly string[]
  body: Uint8Array
}
