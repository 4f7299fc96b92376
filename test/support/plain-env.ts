const { PATH, NODE_COMPILE_CACHE } = process.env

/** For Bellhop in its own process: nothing of the tests' environment except the PATH and Node's compile cache. */
export const plainEnv = { PATH, NODE_COMPILE_CACHE }
