import type { z } from 'zod'
import type { roleShape } from '../src/accounts/contract.ts'
import type { ApprovalShape, approvalStatus } from '../src/approvals/contract.ts'
import type { httpConnectorShape, toolShape } from '../src/connectors/contract.ts'
import type { RunShape, RunSummary, runStatusShape, StepShape, ToolCallShape } from '../src/runs/contract.ts'
import type { eventsPage, receiptShape, refusalShape, snippetShape } from '../src/webhooks/contract.ts'

/** The shapes of /api/v1, under the names that the pages use for them. */
export type { ApiKey, AuditRecord, Me, Session, User } from '../src/accounts/contract.ts'
export type { Channel, Message, StreamEvents } from '../src/chat/contract.ts'
export type { AuthType, Capability, Method, Permission } from '../src/connectors/contract.ts'
export type { SettingsPatch, SettingsShape as Settings } from '../src/runs/contract.ts'
export type { About, Stats } from '../src/status/contract.ts'
export type {
  Ceiling,
  EventShape as LedgerEvent,
  EventStatus,
  PresetName,
  WebhookShape as Webhook,
} from '../src/webhooks/contract.ts'

/** A page of the ledger. */
export type LedgerPage = z.output<typeof eventsPage>

export type Role = z.output<typeof roleShape>

export type RunStatus = z.output<typeof runStatusShape>
/** Lists leave out what only the page of one run shows. */
export type RunRow = RunSummary
export type Run = RunShape
export type Step = StepShape
export type ToolCall = ToolCallShape

export type Approval = ApprovalShape
export type ApprovalStatus = z.output<typeof approvalStatus>
export type SentRequest = ApprovalShape['request']

export type Refusal = z.output<typeof refusalShape>
export type Snippet = z.output<typeof snippetShape>
export type Receipt = z.output<typeof receiptShape>

export type Tool = z.output<typeof toolShape>
export type HttpConnector = z.output<typeof httpConnectorShape>
