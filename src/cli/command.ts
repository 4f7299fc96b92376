/** The options that were given. */
export type Options = Record<string, string | undefined>

/** `run` returns the exit code. */
export type Command = {
  summary: string
  options?: Record<string, { short?: string; summary: string }>
  run(options: Options): Promise<number>
}
