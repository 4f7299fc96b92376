/** How often Bellhop itself may fail at a run. Failures of the model or a tool are counted elsewhere. */
export const maxTries = 5

/** The cause is only in the log: it may be about things that the readers of the run do not know. */
export const internalFailure = {
  code: 'internal_error',
  message: `Bellhop had an internal error ${maxTries} times. The server log has the details.`,
}

/** No error was seen: whoever worked on the run was gone each time. */
export const workersDied = `The process died, or lost the database, ${maxTries} times while it worked on this run, and the run made no progress.`
