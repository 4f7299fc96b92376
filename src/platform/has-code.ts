/** Whether it is an error from Node or a driver with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): error is Error {
  return error instanceof Error && 'code' in error && codes.some((code) => code === error.code)
}
