import type { z } from 'zod'
import type { auditPage, linkFactsShape, oidcStateShape, roleShape } from '../src/accounts/contract.ts'
import type { ApprovalShape, approvalStatus, toolApproversShape } from '../src/approvals/contract.ts'
import type { identityShape, linkCodeShape } from '../src/chat/workspaces/contract.ts'
import type { oauthPlanShape } from '../src/connectors/auth/contract.ts'
import type {
  callableToolShape,
  httpConnectorShape,
  testResultShape,
  toolShape,
  trialResultShape,
} from '../src/connectors/contract.ts'
import type { McpConnectorShape, mcpToolShape } from '../src/connectors/mcp/contract.ts'
import type { eventsPage, receiptShape } from '../src/events/contract.ts'
import type { outagesShape, RunSummary, runStatusShape } from '../src/runs/contract.ts'
import type { nightlyShape } from '../src/runs/rehearsals/nightly/contract.ts'
import type { modelTestResultShape } from '../src/settings/contract.ts'
import type { figuresShape } from '../src/status/figures/contract.ts'
import type { editFormShape, Reach as ReachShape } from '../src/tools/contract.ts'
import type { QuestionShape } from '../src/tools/questions/contract.ts'
import type { signingKeysShape } from '../src/tools/receipts/contract.ts'
import type {
  refusalCheckShape,
  refusalShape,
  shownRefusalShape,
  snippetShape,
} from '../src/webhooks/contract.ts'

/** The shapes of /api/v1, under the names that the pages use for them. */
export type {
  ApiKey,
  AuditFilters,
  AuditRecord,
  Group,
  Me,
  OidcProvider,
  Session,
  User,
  View,
} from '../src/accounts/contract.ts'
export type {
  BacktestShape as BacktestResult,
  PolicyShape as Policy,
  PolicySuggestion,
} from '../src/approvals/policies/contract.ts'
export type {
  Channel,
  ExternalPlatform,
  Message,
  NotifyLevel,
  StreamEvents,
  Unread,
} from '../src/chat/contract.ts'
export type { Workspace, WorkspaceInput } from '../src/chat/workspaces/contract.ts'
export type { AuthType } from '../src/connectors/auth/contract.ts'
export type {
  Capability,
  ImportPreview,
  Method,
  NewTool,
  Permission,
} from '../src/connectors/contract.ts'
export type { OfferedPrompt } from '../src/connectors/mcp/prompts/contract.ts'
export type { EventShape as LedgerEvent, EventStatus } from '../src/events/contract.ts'
export type { Rule, RulesPreview } from '../src/events/rules/contract.ts'
export type { RevisionShape as Revision } from '../src/revisions/contract.ts'
export type {
  AttemptShape as Attempt,
  PromptPart,
  RunShape as Run,
  RunSummary as RunRow,
  StepShape as Step,
  ToolCallShape as ToolCall,
} from '../src/runs/contract.ts'
export type { CaseShape as Case } from '../src/runs/rehearsals/cases/contract.ts'
export type { RehearsalShape as Rehearsal } from '../src/runs/rehearsals/contract.ts'
export type { ScheduleShape as Schedule, TimingPreview } from '../src/schedules/contract.ts'
export type { SettingsPatch, SettingsShape as Settings } from '../src/settings/contract.ts'
export type { About, LiveEvents, Stats } from '../src/status/contract.ts'
export type {
  ListedWebhook,
  PresetName,
  WebhookShape as Webhook,
} from '../src/webhooks/contract.ts'

export type Role = z.output<typeof roleShape>
/** Whom a one-time link is for. */
export type LinkFacts = z.output<typeof linkFactsShape>
export type SigningKeys = z.output<typeof signingKeysShape>
export type Reach = ReachShape
export type OidcState = z.output<typeof oidcStateShape>

export type ToolApprovers = z.output<typeof toolApproversShape>
export type Approval = ApprovalShape
export type { ConnectorHealth, ToolHealth } from '../src/tools/contract.ts'
export type EditForm = z.output<typeof editFormShape>
export type Question = QuestionShape
export type ApprovalStatus = z.output<typeof approvalStatus>
export type SentRequest = ApprovalShape['request']

/** Somebody's account in another chat system. */
export type ChatAccount = z.output<typeof identityShape>
export type LinkCode = z.output<typeof linkCodeShape>

export type CallableTool = z.output<typeof callableToolShape>
/** What signing in for a connector would do. */
export type OauthPlan = z.output<typeof oauthPlanShape>
export type Tool = z.output<typeof toolShape>
export type HttpConnector = z.output<typeof httpConnectorShape>
export type McpTool = z.output<typeof mcpToolShape>
export type McpConnector = McpConnectorShape
export type Connector = HttpConnector | McpConnector
export type TestOutcome = z.output<typeof testResultShape>
/** A call of a tool by hand. */
export type Trial = z.output<typeof trialResultShape>

/** Whether the events of a webhook are tried with another model every night. */
export type Nightly = z.output<typeof nightlyShape>
export type Figures = z.output<typeof figuresShape>
export type ModelOutages = z.output<typeof outagesShape>
export type RunSpan = RunSummary['spans'][number]
export type RunStatus = z.output<typeof runStatusShape>
export type ModelTest = z.output<typeof modelTestResultShape>

export type AuditPage = z.output<typeof auditPage>
/** A page of the ledger. */
export type LedgerPage = z.output<typeof eventsPage>
export type Refusal = z.output<typeof refusalShape>
export type ShownRefusal = z.output<typeof shownRefusalShape>
export type RefusalCheck = z.output<typeof refusalCheckShape>
export type Snippet = z.output<typeof snippetShape>
export type Receipt = z.output<typeof receiptShape>
