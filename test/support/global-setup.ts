import { sharedTestServer, shareTestServer, startTestServer } from './postgres.ts'

let server: Awaited<ReturnType<typeof startTestServer>> | undefined

/** Once for the whole run (`node --test --test-global-setup`); the test files inherit the address. */
export async function globalSetup(): Promise<void> {
  // A run that a test starts uses the server of the run around it.
  if (sharedTestServer()) return
  server = await startTestServer()
  shareTestServer(server.url)
}

export async function globalTeardown(): Promise<void> {
  await server?.[Symbol.asyncDispose]()
}
