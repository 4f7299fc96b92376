/** The options that were given. */
export type Options = Record<string, string | undefined>

/** `run` returns the exit code. It imports the command's code, so that nobody loads that of all the others. */
export type Command = {
  summary: string
  /** `flag`: given without a value. */
  options?: Record<string, { short?: string; flag?: true; summary: string }>
  run(given: Options, command: Command): Promise<number>
}
