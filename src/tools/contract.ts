import { z } from 'zod'
import { policyShape } from '../approvals/policies/contract.ts'
import { capabilities } from '../connectors/contract.ts'

/** What the form for an edit starts with. */
export const editFormShape = z.object({
  input: z.unknown(),
  /** Of the tool, as JSON Schema. */
  inputSchema: z.unknown(),
  /** Of the request as it is now, for If-Match. */
  digest: z.string(),
})

export const editInput = z.strictObject({
  /** All of the input, as it is to be sent. */
  input: z.unknown(),
})

/** How far back the health of tools is counted. */
export const healthHours = 48
const count = z.number().int()

const healthFields = {
  calls: count,
  /** Requests that failed or were answered with 400 or more. */
  errors: count,
  seconds: z.object({ p50: z.number().nullable(), p95: z.number().nullable() }),
  lastCalledAt: z.iso.datetime(),
  /** One number per hour, oldest first. */
  perHour: z.object({ ok: z.array(count), failed: z.array(count) }),
}

/** Connectors that were called, most calls first. */
export const connectorHealthShape = z.object({
  items: z.array(z.object({ connectorId: z.string(), ...healthFields })),
})
export type ConnectorHealth = z.output<typeof connectorHealthShape>

export const toolHealthShape = z.object({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  /** Where requests went, and those that the egress did not let through. */
  hosts: z.array(z.object({ host: z.string(), calls: count, refused: count })),
  /** Tools that were called, most calls first. Only requests that were sent, with the time of the request alone. */
  items: z.array(
    z.object({
      toolId: z.string(),
      ...healthFields,
      lastError: z
        .object({
          at: z.iso.datetime(),
          status: count.nullable(),
          code: z.string().nullable(),
          runId: z.string(),
        })
        .nullable(),
    }),
  ),
})
export type ToolHealth = z.output<typeof toolHealthShape>

/** What the agent can be made to do there at worst, computed from the configuration. */
export const reachShape = z.object({
  /** `one`: after a read from one connector, the use of another one asks an admin. */
  readsAcross: z.enum(['all', 'one']),
  /** Tools of connectors that may not be used there. */
  outOfScope: count,
  /** The worst first. */
  tools: z.array(
    z.object({
      toolId: z.string(),
      name: z.string(),
      connectorId: z.string(),
      connector: z.string(),
      capability: z.enum(capabilities),
      /**
       * `alone`: without a person, as often as it is asked for. `capped`: without a person as far as a policy's condition and cap go.
       * `approve`: people approve each call. `confirm`: people approve each call on its card in the channel. `never`: refused.
       */
      outcome: z.enum(['alone', 'capped', 'approve', 'confirm', 'never']),
      why: z.string().nullable(),
      approvalsNeeded: count,
      /** Those about this tool and this place; their conditions decide call by call. */
      policies: z.array(policyShape.pick({ id: true, name: true, then: true, state: true, cap: true })),
    }),
  ),
})
export type Reach = z.output<typeof reachShape>
