import type { Capability, Method } from '../contract.ts'

/** By the method alone; the person who picks the tools decides. */
export const suggestedCapability = {
  GET: 'read',
  HEAD: 'read',
  POST: 'write',
  PUT: 'write',
  PATCH: 'write',
  DELETE: 'destructive',
} as const satisfies Record<Method, Capability>
