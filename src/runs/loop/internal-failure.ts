/** How often Bellhop itself may fail at a run. Failures of the model or a tool are counted elsewhere. */
export const maxTries = 5

/** The cause is only in the log: it may be about things that the readers of the run do not know. */
export const internalFailure = {
  code: 'internal_error',
  message: `Bellhop had an internal error ${maxTries} times. The server log has the details.`,
}
