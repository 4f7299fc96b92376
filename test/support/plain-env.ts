const { PATH, NODE_COMPILE_CACHE } = process.env

/** For a Bellhop in a process of its own: nothing of what is set for the tests but where programs are, and what Node has compiled. */
export const plainEnv = { PATH, NODE_COMPILE_CACHE }
