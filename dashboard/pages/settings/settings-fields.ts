import type { Settings } from '../../contract.ts'
import type { NumberField } from '../../ui/forms/number-fields.tsx'

type Group = 'agent' | 'limits' | 'retention'
type Path = { [G in Group]: `${G}.${keyof Settings[G] & string}` }[Group] | 'timeZone'
type TextField = {
  path: Path
  label: string
  description: string
  placeholder?: string
  rows?: number
  isTimeZone?: true
}

/** What one card of the settings edits. */
export type SettingsFields = {
  title?: string
  texts?: TextField[]
  numbers?: (NumberField & { path: Path })[]
}[]

export const agentFields: SettingsFields = [
  {
    texts: [
      {
        path: 'agent.name',
        label: 'Name',
        description:
          'Shown above the messages of the agent. People mention it with @ and this name, or with @bellhop.',
      },
      {
        path: 'agent.instructions',
        label: 'Instructions for every run',
        description:
          'Who the agent works for and how it should write. Each webhook adds its own prompt. Optional.',
        placeholder: "You work for Acme's support team. Write short, friendly English. Prices are in euros.",
        rows: 5,
      },
      {
        path: 'timeZone',
        label: 'Time zone',
        description: 'The agent is told the date and time of this zone. New schedules start with it.',
        isTimeZone: true,
      },
    ],
  },
]

export const limitFields: SettingsFields = [
  {
    title: 'Concurrent runs',
    numbers: [
      {
        path: 'limits.activeRuns',
        label: 'Event runs',
        description: 'Per worker process. Further events wait.',
        min: 1,
      },
      { path: 'limits.chatRuns', label: 'Chat runs', description: 'Per worker process.', min: 1 },
    ],
  },
  {
    title: 'Per run',
    numbers: [
      {
        path: 'limits.stepsPerRun',
        label: 'Steps',
        description: 'A run that needs more steps ends with a notice.',
        min: 1,
      },
      {
        path: 'limits.workSecondsPerRun',
        label: 'Working time',
        description: 'Time spent waiting for an approval does not count.',
        unit: 'seconds',
        min: 10,
      },
      {
        path: 'limits.modelSilenceSeconds',
        label: 'Response timeout',
        unit: 'seconds',
        description: 'A model call that sends nothing for this long is tried again.',
        min: 1,
      },
      {
        path: 'limits.tokensPerRun',
        label: 'Tokens',
        description: 'Input and output together.',
        min: 1000,
      },
      {
        path: 'limits.costPerRun',
        label: 'Cost (USD)',
        description: 'Leave empty for no limit.',
        min: 0,
        optional: true,
      },
      {
        path: 'limits.approvalSeconds',
        label: 'Approvals expire after',
        description: 'An expired approval counts as denied.',
        unit: 'seconds',
        min: 60,
      },
    ],
  },
  {
    title: 'Retention',
    numbers: [
      {
        path: 'retention.days',
        label: 'Keep events and runs for (days)',
        description: 'Older events and runs are deleted.',
        min: 1,
      },
      {
        path: 'retention.messageDays',
        label: 'Keep messages for (days)',
        description: 'Leave empty to keep messages forever.',
        min: 1,
        optional: true,
      },
      {
        path: 'retention.auditDays',
        label: 'Keep the audit log for (days)',
        description: '90 or more. Leave empty to keep the log forever.',
        min: 90,
        optional: true,
      },
    ],
  },
]
