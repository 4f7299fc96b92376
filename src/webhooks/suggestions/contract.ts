import type { Rule } from '../../events/rules/contract.ts'
import type { PresetName } from '../contract.ts'

/** What usually makes sense for the events of a sender. Nothing of it is in force until somebody chooses it. */
export type Suggestion = {
  /** For people. */
  sender: string
  /** The sender's own way to sign, if it has one. */
  preset: PresetName | null
  threadKey: string
  rules: { label: string; rule: Rule }[]
}

const resolvedAlerts = {
  label: 'Post resolved alerts without a run',
  rule: {
    when: "event.status == 'resolved'",
    then: 'notify',
    text: '✅ {/commonLabels/alertname} is resolved.',
    closes: true,
  },
} as const

const github = [
  { label: 'Skip what bots do', rule: { when: "event.sender.type == 'Bot'", then: 'skip' } },
  {
    label: 'Skip labels and assignments',
    rule: { when: "event.action in ['labeled', 'unlabeled', 'assigned', 'unassigned']", then: 'skip' },
  },
  {
    label: 'Mark the thread when it is closed',
    rule: { when: "event.action == 'closed'", then: 'run', closes: true },
  },
] as const

export const suggestions: readonly Suggestion[] = [
  { sender: 'Alertmanager', preset: null, threadKey: '/groupKey', rules: [resolvedAlerts] },
  { sender: 'Grafana', preset: 'grafana', threadKey: '/groupKey', rules: [resolvedAlerts] },
  {
    sender: 'GitHub pull requests',
    preset: 'github',
    threadKey: '{/repository/full_name}#{/pull_request/number}',
    rules: [...github],
  },
  {
    sender: 'GitHub issues',
    preset: 'github',
    threadKey: '{/repository/full_name}#{/issue/number}',
    rules: [...github],
  },
  {
    sender: 'GitLab merge requests',
    preset: 'gitlab',
    threadKey: '{/project/path_with_namespace}!{/object_attributes/iid}',
    rules: [
      {
        label: 'Mark the thread when it is merged or closed',
        rule: { when: "event.object_attributes.action in ['merge', 'close']", then: 'run', closes: true },
      },
    ],
  },
  {
    sender: 'Sentry issues',
    preset: 'sentry',
    threadKey: '/data/issue/id',
    rules: [
      {
        label: 'Post resolved issues without a run',
        rule: {
          when: "event.action == 'resolved'",
          then: 'notify',
          text: '✅ {/data/issue/title} is resolved.',
          closes: true,
        },
      },
      {
        label: 'Skip assigned and archived issues',
        rule: { when: "event.action in ['assigned', 'archived', 'ignored']", then: 'skip' },
      },
    ],
  },
  {
    sender: 'PagerDuty incidents',
    preset: 'pagerduty',
    threadKey: '/event/data/id',
    rules: [
      {
        label: 'Post resolved incidents without a run',
        rule: {
          when: "event.event.event_type == 'incident.resolved'",
          then: 'notify',
          text: '✅ {/event/data/title} is resolved.',
          closes: true,
        },
      },
    ],
  },
  {
    sender: 'Jira issues',
    preset: 'jira',
    threadKey: '/issue/key',
    rules: [
      {
        label: 'Mark the thread when the issue is done',
        rule: {
          when: "event.issue.fields.status.statusCategory.key == 'done'",
          then: 'run',
          closes: true,
        },
      },
    ],
  },
]
