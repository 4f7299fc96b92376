import type { listTools } from '../tools/list-tools.ts'

/** A tool as the model is offered it, and what the gate knows about it. */
export type OfferedTool = Awaited<ReturnType<typeof listTools>>[number]
export type Capability = OfferedTool['capability']
