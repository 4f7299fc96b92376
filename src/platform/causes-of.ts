/** The error and what caused it. */
export function* causesOf(error: unknown): Generator<Error, void> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) yield cause
}
