/** Signed by us, to be true for good and not only for a minute. In the slice receipts. */
export type Statements = {
  sign(type: string, statement: Record<string, unknown>): Promise<string>
  /** Null if it was not signed with a key that we have or had. */
  read(type: string, signed: string): Promise<Record<string, unknown> | null>
}
