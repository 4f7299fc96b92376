import async_hooks from 'node:async_hooks'

/**
 * Preloaded by scripts/run-tests.ts. Node's test runner watches every promise, to name the test that an uncaught error belongs to;
 * that takes a fifth of the processor time. Without, such an error fails the file instead of the test.
 */
const { createHook } = async_hooks
async_hooks.createHook = () => {
  // The runner's hook is the first one.
  async_hooks.createHook = createHook
  return createHook({})
}
